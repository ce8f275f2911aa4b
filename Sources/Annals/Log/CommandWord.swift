package import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A word of a command line, as the bytes that the system passed: the one place through which paths reach our programs.
package struct CommandWord: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The bytes, which need not be UTF-8.
  package let bytes: [UInt8]

  /// A word of these bytes.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The word that `text` is in UTF-8.
  package init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }

  /// The words of this process's command line after the name of the program.
  package static var ofProcess: [CommandWord] {
    ProcessArguments.bytes.map { CommandWord($0) }
  }

  /// The text of the word; `nil` where the bytes are not UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The word for people: bytes that are not UTF-8 are written as `\xFF`.
  package var description: String { FileName.text(bytes) }

  /// The URL of the path that the word is.
  ///
  /// - Throws: `wrongUse` where it is empty.
  package func url() throws(AnnalsError) -> URL { try URL(exactPath: bytes) }
}

/// What every program of ours does before anything else.
package enum ProgramStart {
  /// Reserves the descriptors 0 to 2 where they are closed, so that no file of a store gets one of them.
  package static func reserveDescriptors() throws(AnnalsError) {
    try files { () throws(StoreFileError) in try StandardDescriptors.reserve() }
  }
}

/// A directory that is kept open, so that another program reaches it whatever the bytes of its path are.
package final class OpenFolder: Sendable {
  private let directory: Directory

  /// Opens the directory at the path that `word` is.
  package init(_ word: CommandWord) throws(AnnalsError) {
    directory = try files { () throws(StoreFileError) in try Directory.open(path: word.bytes + "/.".utf8) }
  }

  /// A path that leads to the directory for every process of this user, as long as this object lives.
  package var path: String { directory.pathForOthers }
}
