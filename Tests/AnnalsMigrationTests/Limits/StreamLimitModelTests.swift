import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// Random changes of streams, against a model in memory.
@Suite struct StreamLimitModelTests {
  private struct Stream: Equatable {
    var head: UInt64?
    var oldest: UInt64 = 0
    var isClosed = false

    var revisions: [UInt64] { head.map { oldest > $0 ? [] : Array(oldest...$0) } ?? [] }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `streams are what a model says, through reopening, passes and merges of heads`(seed: UInt64)
    async throws
  {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    var generator = SeededGenerator(seed: seed)
    var model: [StreamName: Stream] = [:]
    let names = (0..<6).map { StreamName("stream-\($0)") }
    var log: EventLog? = try EventLog(at: place.url)
    for _ in 0..<120 {
      let name = names.randomElement(using: &generator)!
      let stream = model[name] ?? Stream()
      let current = try #require(log)
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<9:
        let count = UInt64.random(in: 1...5, using: &generator)
        let events = (0..<count).map { _ in StreamLimitTests.event() }
        let expected: Annals.Expectation = [
          .any, .noStream, .exists, .revision(Revision(stream.head ?? 0)),
        ].randomElement(using: &generator)!
        let isEmpty = stream.revisions.isEmpty
        let isMet =
          switch expected {
          case .any: true
          case .noStream: isEmpty
          case .exists: !isEmpty
          case .revision(let revision): stream.head == revision.rawValue
          }
        do throws(AnnalsError) {
          let appended = try await current.append(events, to: name, expecting: expected)
          #expect(isMet && !stream.isClosed)
          let first = stream.head.map { $0 + 1 } ?? 0
          #expect(appended.revisions.map { $0.rawValue } == Array(first..<first + count))
          model[name, default: Stream()].head = first + count - 1
        } catch {
          #expect(error.code == (stream.isClosed ? .streamClosed : .conflict), "\(error)")
          #expect(!isMet || stream.isClosed)
        }
      case 9..<11:
        let revision = UInt64.random(in: 0...(stream.head ?? 0) + 3, using: &generator)
        try await change(current, .truncate([(name, Revision(revision))]), stream)
        if let head = stream.head { model[name]?.oldest = max(stream.oldest, min(revision, head + 1)) }
      case 11:
        try await change(current, .truncate([(name, nil)]), stream)
        if let head = stream.head { model[name]?.oldest = head + 1 }
      case 12..<14:
        try await change(current, .close(name), stream)
        model[name]?.isClosed = true
      case 14..<16:
        try await change(current, .reopen(name), stream)
        model[name]?.isClosed = false
      case 16..<18:
        log = nil
        var options = StoreOptions()
        options.mergeInterval = HeadMerge.Interval(entries: 10)
        log = try EventLog(at: place.url, options: options)
      case 18:
        _ = try await current.compact().report()
      default:
        try compare(current, names, model)
      }
    }
    try compare(try #require(log), names, model)
    #expect(try EventLog.verify(place.url).isClean)
  }

  private func change(_ log: EventLog, _ work: LimitChange, _ stream: Stream) async throws {
    do throws(AnnalsError) {
      _ = try await log.change(LogChange(.limit(work), author: "", reason: ""))
      #expect(stream.head != nil)
    } catch {
      #expect(error.code == .noSuchStream && stream.head == nil, "\(error)")
    }
  }

  private func compare(_ log: EventLog, _ names: [StreamName], _ model: [StreamName: Stream]) throws {
    try log.read { snapshot in
      for name in names {
        let stream = model[name] ?? Stream()
        for backwards in [false, true] {
          var entries = try snapshot.entries(in: name, backwards: backwards)
          var found: [UInt64] = []
          while let entry = try entries.next() { found.append(entry.revision.rawValue) }
          #expect(found == (backwards ? stream.revisions.reversed() : stream.revisions), "\(name)")
        }
        let state = try snapshot.state(of: name)
        #expect(state?.revision.rawValue == stream.head)
        #expect(state?.isClosed ?? false == stream.isClosed)
      }
    }
  }
}
