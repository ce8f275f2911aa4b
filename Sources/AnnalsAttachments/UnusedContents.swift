package import AnnalsCoding
package import AnnalsLog
package import LMDB

/// The files of contents to which no entry of a log refers, and files that interrupted writers have left.
///
/// The next pass removes them, a day after they were attached.
package struct UnusedContents {
  /// A file, and when its content was attached last, in microseconds since 1970.
  private var found: [(name: String, time: Int64)] = []

  /// Finds the files of a store. Call it before the snapshot that ``keepUnused(by:until:)`` gets.
  package init(in store: Directory) throws(AnnalsError) {
    guard let blobs = try BlobDirectory.open(in: store) else { return }
    found = try files { () throws(StoreFileError) in
      var names: [(name: String, time: Int64)] = []
      for name in try blobs.directory.names() {
        guard ContentHash(name) != nil || name.hasSuffix(BlobDirectory.unfinished) else { continue }
        if let time = try blobs.directory.time(of: name) { names.append((name, time)) }
      }
      return names.sorted { $0.name < $1.name }
    }
  }

  /// Leaves the files that were attached up to a time, and that no entry refers to.
  ///
  /// - Complexity: O(entries), if any file is that old.
  package mutating func keepUnused(by reader: StoreReader, until time: Int64) throws(AnnalsError) {
    found.removeAll { $0.time > time }
    guard !found.isEmpty else { return }
    let used = try reader.attachments()
    found.removeAll { file in ContentHash(file.name).map { used[$0] != nil } ?? false }
  }

  /// The names of the files that were attached up to a time.
  package func names(until time: Int64) -> [String] {
    found.filter { $0.time <= time }.map(\.name)
  }
}
