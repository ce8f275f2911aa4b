package import AnnalsCoding
internal import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A word of a command line, as the bytes that the system passed. Paths reach our programs only through this
/// type.
package struct CommandWord: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The bytes, which need not be UTF-8.
  package let bytes: [UInt8]

  /// Creates a word of these bytes.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates a word from the UTF-8 bytes of `text`.
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

  /// The text of the word; `nil` if the bytes are not UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The word as readable text. Bytes that are not UTF-8 are written as `\xFF`.
  package var description: String { FileName.text(bytes) }

  /// Returns the URL of the path.
  ///
  /// - Throws: `wrongUse` if the path is empty.
  package func url() throws(AnnalsError) -> URL { try URL(exactPath: bytes) }
}

/// The first step of each of our programs.
package enum ProgramStart {
  /// Reserves the descriptors 0 to 2 if they are closed, so that no file of a store gets one of them.
  package static func reserveDescriptors() throws(AnnalsError) {
    try files { () throws(StoreFileError) in try StandardDescriptors.reserve() }
  }
}

/// A directory that is kept open, so that another program can reach it regardless of the bytes of its path.
package final class OpenFolder: Sendable {
  private let directory: Directory

  /// Opens the directory at the path `word`.
  package init(_ word: CommandWord) throws(AnnalsError) {
    directory = try files { () throws(StoreFileError) in try Directory.open(path: word.bytes + "/.".utf8) }
  }

  /// A path to the directory that works for every process of this user while this object lives.
  package var path: String { directory.pathForOthers }
}
