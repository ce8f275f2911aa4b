import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The path of a store or another file in a command line, exactly as it was given.
///
/// It is the only way from a word to a file.
struct StorePath: Hashable, Sendable, CustomStringConvertible {
  /// What the library takes; the bytes of its path are those of the word.
  let url: URL
  private let word: CommandWord

  /// The path that `word` is.
  ///
  /// - Throws: ``UsageError`` where no file can have it.
  init(_ word: CommandWord) throws(UsageError) {
    do { url = try word.url() } catch { throw UsageError(error.message) }
    self.word = word
  }

  /// The bytes of the path.
  var bytes: [UInt8] { word.bytes }

  /// The path for people: bytes that are not UTF-8 are written as `\xFF`.
  var description: String { word.description }
}
