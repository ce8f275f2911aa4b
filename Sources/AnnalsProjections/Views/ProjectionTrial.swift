internal import AnnalsLog
internal import AnnalsStore
package import AnnalsCoding
package import AnnalsSchema
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A projection folded without a store, into a temporary file that is removed with this value. Tests of
/// projections use it.
package final class ProjectionTrial<P: Projection> {
  private let place: URL
  private let file: ViewFile
  private let fold: ViewFold<P>
  private let outline: ProjectionOutline
  private let log = UUID()
  private var checkpoint: Checkpoint?
  private var batches: UInt32 = 0

  /// Creates a trial that has folded nothing.
  package init() throws {
    outline = try ProjectionOutline(P.self)
    place = FileManager.default.temporaryDirectory.appendingPathComponent("annals-trial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let path = try place.exactPath()
    let directory = try files { () throws(StoreFileError) in try Directory.open(path: path) }
    file = try ViewFile.open(1, called: P.name, in: directory, create: true, mapSize: 1 << 36)
    fold = ViewFold<P>(file, outline)
  }

  deinit {
    // The error cannot be reported here, and the leftover is in the system's directory for temporary files.
    try? FileManager.default.removeItem(at: place)
  }

  /// Returns an event as an entry for a fold.
  package static func entry(_ event: P.Event, at origin: Origin) -> Entry<P.Event> {
    Entry(event, from: origin)
  }

  /// Folds entries in one transaction.
  package func fold(_ entries: [Entry<P.Event>]) throws(AnnalsError) {
    batches += 1
    let end = Checkpoint(
      log: log, incarnation: 0, position: entries.last?.position ?? checkpoint?.position ?? 0, mark: batches)
    let page = ViewPage(
      start: checkpoint?.position.rawValue ?? 0, end: end, entries: entries, isLast: true)
    do throws(FoldFailure) { _ = try fold.fold(page, from: checkpoint, .none) { _ in nil } } catch {
      switch error {
      case .poison(_, let cause), .log(let cause), .other(let cause): throw cause
      // Nothing ends it.
      case .ended: break
      }
    }
    checkpoint = end
  }

  /// Returns the payloads of all rows of a type, in the order of their keys.
  package func payloads<R: ProjectionRow>(of type: R.Type) throws(AnnalsError) -> [[UInt8]] {
    let space = try outline.space(of: type)
    return try content().filter { $0.key.first == space }.map(\.value)
  }

  /// Returns the rows of a type, in the order of their keys.
  package func rows<R: ProjectionRow>(of type: R.Type) throws(AnnalsError) -> [R] {
    var rows: [R] = []
    for payload in try payloads(of: type) {
      do throws(CodingFailure) { rows.append(try R.decode(payload: payload.span)) } catch {
        throw AnnalsError(
          .damaged, "a row of '\(R.recordName)' cannot be decoded: \(error)", underlying: error)
      }
    }
    return rows
  }

  /// Returns every key with its value, in order: rows and the entries of secondary keys.
  package func content() throws(AnnalsError) -> [(key: [UInt8], value: [UInt8])] {
    try file.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let source = file.source(transaction.view)
      var all: [(key: [UInt8], value: [UInt8])] = []
      do throws(EnvironmentError) {
        var cursor = try transaction.cursor(in: file.rows)
        while let row = try cursor.next() { all.append((row.key.copied, row.value.copied)) }
      } catch {
        throw AnnalsError(error)
      }
      return try all.map { (row) throws(AnnalsError) in
        (row.key, try source.open(row.value.span, row.key.span).copied)
      }
    }
  }
}
