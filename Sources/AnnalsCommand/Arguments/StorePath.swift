package import Annals

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The path of a store or another file on a command line, exactly as given.
///
/// Every file that the command opens is named by one.
package struct StorePath: Hashable, Sendable, CustomStringConvertible {
  /// The URL for the library; the bytes of its path are those of the word.
  package let url: URL
  private let word: CommandWord

  /// Creates a path from a word.
  ///
  /// - Throws: ``UsageError`` if no file can have the path.
  package init(_ word: CommandWord) throws(UsageError) {
    do { url = try word.url() } catch { throw UsageError(error.message) }
    self.word = word
  }

  /// The bytes of the path.
  package var bytes: [UInt8] { word.bytes }

  /// The path for people; bytes that are not UTF-8 are written as `\xFF`.
  package var description: String { word.description }
}
