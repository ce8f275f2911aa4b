import FaultPrograms
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// A process that closes, truncates and erases, killed at random moments.
@Suite(.serialized) struct EraseKillTests {
  private static let perRound = 10
  private static let rounds = RunLength.seeds(
    RunLength.count("ANNALS_ERASE_KILLS", usual: 30), perRound: perRound)

  /// What the journal says was acknowledged.
  private struct Acknowledged {
    var appended: Set<UInt64> = []
    var erased: Set<UInt64> = []
    var oldest: [String: UInt64] = [:]
    /// Of each stream, whether it is closed; not there if that is not known.
    var isClosed: [String: Bool] = [:]

    init(_ lines: [[String]]) {
      for line in lines where line.count >= 3 {
        let (verb, stream, numbers) = (line[1], line[2], line.dropFirst(3).compactMap { UInt64($0) })
        switch (line[0], verb) {
        case ("done", "append"): appended.formUnion(numbers)
        case ("done", "erase"): erased.formUnion(numbers)
        case ("done", "truncate"): oldest[stream] = max(oldest[stream] ?? 0, numbers.first ?? 0)
        case ("done", "close"): isClosed[stream] = true
        case ("done", "reopen"): isClosed[stream] = false
        case ("begin", "close"), ("begin", "reopen"): isClosed[stream] = nil
        case ("refused", "close"), ("refused", "reopen"): isClosed[stream] = false
        default: break
        }
      }
    }
  }

  @Test(arguments: rounds)
  func `each acknowledged change holds after a kill, and another one wholly or not at all`(
    seed: UInt64
  ) throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let journal = place.path("journal")
    var random = SeededGenerator(seed: seed)
    var counts: [String: Int] = [:]
    for kill in 0..<Self.perRound {
      let child = try Child.run(
        "erase", place.url.path, journal, "\(seed &* 1_000 &+ UInt64(kill))")
      #expect(child.speaks())
      usleep(UInt32.random(in: 1_000...120_000, using: &random))
      #expect(try child.kill() == .signal(SIGKILL), "\(child.text())")
      let lines = try Journal.lines(path: journal)
      for line in lines where line.first == "done" { counts[line[1], default: 0] += 1 }
      try check(place.url, Acknowledged(lines), "seed \(seed), kill \(kill)")
    }
    print("erasures, seed \(seed): \(counts.sorted { $0.key < $1.key })")
    #expect(counts["append", default: 0] > 0)
  }

  private func check(_ url: URL, _ known: Acknowledged, _ at: Comment) throws {
    // A kill may come before the store has its name.
    guard FileManager.default.fileExists(atPath: url.path) else {
      return #expect(known.appended.isEmpty, at)
    }
    let report = try EventLog.verify(url)
    #expect(report.isClean, "\(at): \(report.findings)")
    let log = try EventLog(at: url)
    let erasures = try log.erasures()
    let recorded = Set(
      erasures.flatMap { $0.positions }.flatMap { $0.lowerBound.rawValue...$0.upperBound.rawValue })
    try log.read { snapshot in
      let last = try snapshot.head()?.rawValue ?? 0
      #expect(known.appended.allSatisfy { $0 <= last }, at)
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        let position = entry.position.rawValue
        guard entry.stream != SystemEntry.stream else { continue }
        let body = try EntryBody(
          try snapshot.reader.bytes(at: entry.position),
          header: try snapshot.reader.header(
            try snapshot.reader.bytes(at: entry.position), at: entry.position))
        let cause: RemovalCause? = if case .stub(let stub) = body { stub.cause } else { nil }
        // What a record names is erased, and nothing else.
        #expect((cause == .erased) == recorded.contains(position), "\(at), position \(position)")
        if known.erased.contains(position) { #expect(cause == .erased, "\(at), position \(position)") }
        if cause == .erased { #expect(entry.id == nil, at) }
      }
      for stream in ErasingProgram.streams {
        guard let state = try snapshot.state(of: stream) else { continue }
        #expect(state.oldest.rawValue >= known.oldest[stream.text] ?? 0, at)
        if let isClosed = known.isClosed[stream.text] { #expect(state.isClosed == isClosed, at) }
        var read = try snapshot.entries(in: stream)
        var revisions: [UInt64] = []
        while let entry = try read.next() { revisions.append(entry.revision.rawValue) }
        let expected = state.isEmpty ? [] : Array(state.oldest.rawValue...state.revision.rawValue)
        #expect(revisions == expected, at)
      }
    }
  }
}
