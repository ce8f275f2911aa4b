import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsVerify

/// Damages copies of one store and checks whether any of them reads as something else.
struct DamageTrial {
  /// What became of a damage.
  enum Outcome: Sendable {
    /// A check or a read said that something is wrong.
    case detected
    /// Everything reads as before: the bytes are not in use.
    case harmless
    /// The older meta page is in use, so that the store is as it was some commits ago, without a sign of it.
    case older
    /// Something reads differently, or a finding lacks its place.
    case wrong(String)
  }

  private struct Wrong: Error {
    let what: String
  }

  private let spoilt: URL
  private let pristine: [UInt8]
  private let original: Reading
  /// The places of copies of entries in the file, which has older ones in free pages too.
  private let copies: [(range: Range<Int>, position: Position)]

  /// Where the store is that is copied and spoilt.
  static func original(in folder: URL) -> URL { folder.appendingPathComponent("original.annals") }

  /// Trials of the store in `folder`, whose copy gets this name.
  init(folder: URL, copy: String) throws {
    let url = Self.original(in: folder)
    spoilt = folder.appendingPathComponent(copy)
    try FileManager.default.copyItem(at: url, to: spoilt)
    let data = try Data(contentsOf: url.appendingPathComponent(Specimen.file))
    pristine = [UInt8](data)
    let log = try EventLog(at: url)
    original = try Self.read(url, log)
    copies = try log.read { (snapshot) throws(AnnalsError) in
      var copies: [(Range<Int>, Position)] = []
      var scan = try snapshot.scan()
      while let entry = try scan.next() {
        let bytes = Data(ByteReader(entry.bytes).copy(0..<entry.bytes.count))
        var start = data.startIndex
        while let found = data.range(of: bytes, in: start..<data.endIndex) {
          copies.append((found, entry.position))
          start = found.upperBound
        }
      }
      return copies
    }
  }

  /// Everything that the store at `url`, open as `log`, says.
  private static func read(_ url: URL, _ log: EventLog) throws -> Reading {
    var reading = try log.read { (snapshot) throws(AnnalsError) in try Reading(snapshot) }
    reading.info = Reading.describe(try EventLog.inspect(url))
    let options = StoreOptions(creation: .never, trust: .nobody)
    let store = try EventStore(at: url, plan: Specimen.Plan.self, options: options)
    reading.events = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [String] = []
      while let entry = try entries.next() { events.append("\(entry.position) \(entry.event)") }
      return events
    }
    return reading
  }

  /// Spoils the copy and looks at it through every door.
  func run(_ damage: Damage) async throws -> Outcome {
    let bytes = damage.applied(to: pristine)
    if bytes == pristine { return .harmless }
    let handle = try FileHandle(forWritingTo: spoilt.appendingPathComponent(Specimen.file))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
    var report: VerifyReport?
    do { report = try EventLog.verify(spoilt) } catch {
      // A refusal is an answer as well.
    }
    let isClean = report?.isClean == true
    if let wrong = unnamed(damage, report) { return .wrong(wrong) }
    do {
      let reading = try await look(mayDiffer: isClean && damage.isInMetaPages)
      if reading == original { return isClean ? .harmless : .detected }
      return isClean && reading.isEarlier(than: original) ? .older : .wrong("it reads otherwise")
    } catch let wrong as Wrong {
      return .wrong(wrong.what)
    } catch let error as AnnalsError {
      return isClean ? .wrong("verify found nothing, and a read threw \(error)") : .detected
    }
  }

  /// The reason why a detected flip in the bytes of an entry is not reported with the entry's position.
  private func unnamed(_ damage: Damage, _ report: VerifyReport?) -> String? {
    guard case .flip(let offset, _) = damage, let report, !report.isClean,
      let copy = copies.first(where: { $0.range.contains(offset) }),
      !report.findings.contains(where: { $0.position == copy.position })
    else { return nil }
    return "position \(copy.position) is not named by \(report.findings.map { "\($0.place): \($0.problem)" })"
  }

  /// Reads everything and appends one entry.
  ///
  /// - Parameter mayDiffer: Whether the store may be one of some commits ago.
  private func look(mayDiffer: Bool) async throws -> Reading {
    do {
      let info = Reading.describe(try EventLog.inspect(spoilt))
      if info != original.info, !mayDiffer { throw Wrong(what: "inspect said \(info)") }
    } catch is AnnalsError {
      // It refuses the file; so may everything below, and a clean verification then says that this was wrong.
    }
    let log = try EventLog(at: spoilt, options: StoreOptions(creation: .never, trust: .nobody))
    for backwards in [false, true] {
      let wrong = try log.read { (snapshot) throws(AnnalsError) in
        try firstDifference(snapshot, backwards: backwards)
      }
      if let wrong { throw Wrong(what: "position \(wrong) reads otherwise") }
    }
    let reading = try Self.read(spoilt, log)
    let appended = try await log.append([try NewEntry.sized(10)], to: "order 1")
    guard appended.positions.map(\.rawValue) == [UInt64(reading.entries.count) + 1] else {
      throw Wrong(what: "appended at \(appended.positions)")
    }
    let after = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    guard after.dropLast().map(Reading.describe) == reading.entries else {
      throw Wrong(what: "an append changed entries")
    }
    return reading
  }

  /// The first position whose entry is not as it was; what comes before an error counts as well.
  private func firstDifference(
    _ snapshot: borrowing LogSnapshot, backwards: Bool
  ) throws(AnnalsError) -> Position? {
    var entries = try snapshot.entries(backwards: backwards)
    while let entry = try entries.next() {
      let index = Int(entry.position.rawValue) - 1
      guard original.entries.indices.contains(index), Reading.describe(entry) == original.entries[index]
      else { return entry.position }
    }
    return nil
  }
}
