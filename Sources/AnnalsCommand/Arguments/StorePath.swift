import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The path of a store or another file on a command line, exactly as given.
///
/// Every file that the command opens is named by one.
struct StorePath: Hashable, Sendable, CustomStringConvertible {
  /// The URL for the library; the bytes of its path are those of the word.
  let url: URL
  private let word: CommandWord

  /// Creates a path from a word.
  ///
  /// - Throws: ``UsageError`` if no file can have the path.
  init(_ word: CommandWord) throws(UsageError) {
    do { url = try word.url() } catch { throw UsageError(error.message) }
    self.word = word
  }

  /// The bytes of the path.
  var bytes: [UInt8] { word.bytes }

  /// The path for people; bytes that are not UTF-8 are written as `\xFF`.
  var description: String { word.description }
}
