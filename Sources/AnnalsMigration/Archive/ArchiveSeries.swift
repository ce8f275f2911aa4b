package import AnnalsCoding
package import AnnalsLog
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The archives of passes that follow one another: `FILE`, then `FILE.2`, `FILE.3` and so on.
package struct ArchiveSeries {
  private let first: URL?
  /// The number of passes that have an archive by now.
  private var begun = 0

  /// Creates the archives that begin with `first`; none if it is `nil`.
  ///
  /// If an unfinished pass of the log writes one of them, the next archive is that one. The pass continues
  /// it, and the passes before it have theirs.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` if `first` is not the URL of a file.
  package init(_ first: URL?, _ log: EventLog) throws(AnnalsError) {
    self.first = first
    guard let first else { return }
    let path = try ArchivePlace(first).path
    let unfinished = try log.read { (snapshot) throws(AnnalsError) -> PassArchiveRow? in
      let (pass, archive) = (try snapshot.reader.pass(), try snapshot.reader.passArchive())
      return archive?.id == pass?.id ? archive : nil
    }
    guard let unfinished, unfinished.path.starts(with: path) else { return }
    let ending = String(decoding: unfinished.path.dropFirst(path.count), as: UTF8.self)
    guard let number = Int(ending.dropFirst()), number > 1, ending == Self.ending(number) else { return }
    begun = number - 1
  }

  private static func ending(_ number: Int) -> String { ".\(number)" }

  /// The archive of the next pass; `nil` if passes have none.
  package mutating func next() throws(AnnalsError) -> URL? {
    begun += 1
    guard begun > 1, let first else { return first }
    return try URL(exactPath: first.exactPath() + Self.ending(begun).utf8)
  }
}
