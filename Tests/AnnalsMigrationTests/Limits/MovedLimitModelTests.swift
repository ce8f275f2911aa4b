import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// Truncated streams in passes that rename, merge and split them, against a model in memory.
@Suite struct MovedLimitModelTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// An entry of the model, which says itself where it goes.
  private struct Entry {
    let went: RoutesV1.Went
    var stream: String
    /// Whether it is before the oldest revision that its stream shows.
    var isHidden = false
    /// Whether a pass has left a stub of it, which has no event that says where to go.
    var isStub = false
  }

  /// A log in memory.
  private struct Model {
    var entries: [Entry] = []

    func indices(of stream: String) -> [Int] { entries.indices.filter { entries[$0].stream == stream } }

    mutating func truncate(_ stream: String, before count: Int) {
      for index in indices(of: stream).prefix(count) { entries[index].isHidden = true }
    }

    mutating func compact() {
      for index in entries.indices where entries[index].isHidden { entries[index].isStub = true }
    }

    /// The pass of a stage.
    mutating func pass(_ stage: Int) {
      let visible = Set(entries.filter { !$0.isHidden }.map(\.stream))
      for index in entries.indices {
        let target = entries[index].isStub ? Routes.stay : entries[index].went.to[stage]
        if target == Routes.drop || entries[index].isHidden { entries[index].isStub = true }
        if Routes.names.contains(target) { entries[index].stream = target }
      }
      for stream in Routes.names {
        let all = indices(of: stream)
        let first = all.firstIndex { !entries[$0].isHidden } ?? all.count
        // A stream does not become empty because all that was read of it is elsewhere.
        let oldest = first == all.count && visible.contains(stream) ? 0 : first
        for (revision, index) in all.enumerated() { entries[index].isHidden = revision < oldest }
      }
    }
  }

  private func expect<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>, is model: Model, _ number: (Plan.Current.Event) -> Int
  ) async throws {
    for stream in Routes.names {
      let name = StreamName(stream)
      let all = model.indices(of: stream).map { model.entries[$0] }
      let visible = all.filter { !$0.isHidden }
      var numbers: [Int] = []
      let (state, raw) = try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(in: name)
        while let entry = try entries.next() { numbers.append(number(entry.event)) }
        var stored = try snapshot.log.entries(in: name)
        var count = 0
        while try stored.next() != nil { count += 1 }
        return (try snapshot.state(of: name), count)
      }
      #expect(numbers == visible.filter { !$0.isStub }.map(\.went.number), "\(stream)")
      #expect(raw == visible.count, "\(stream)")
      guard !all.isEmpty else {
        #expect(state == nil, "\(stream)")
        continue
      }
      let oldest = Revision(UInt64(all.count - visible.count))
      #expect(state?.revision == Revision(UInt64(all.count - 1)) && state?.oldest == oldest, "\(stream)")
      for (expectation, isMet) in [(Annals.Expectation.noStream, raw == 0), (.exists, raw > 0)] {
        do throws(AnnalsError) {
          try await store.append([], to: name, expecting: expectation)
          #expect(isMet, "\(stream) \(expectation)")
        } catch {
          #expect(!isMet && error.code == .conflict, "\(stream) \(expectation): \(error)")
        }
      }
    }
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
  }

  /// Appends events, truncates streams, and runs passes that move nothing.
  private func change<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>, _ model: inout Model, _ generator: inout SeededGenerator,
    _ event: (RoutesV1.Went) -> Plan.Current.Event
  ) async throws {
    for _ in 0..<Int.random(in: 5..<60, using: &generator) {
      let stream = Routes.names.randomElement(using: &generator) ?? "a"
      switch Int.random(in: 0..<24, using: &generator) {
      case 0..<3:
        let count = model.indices(of: stream).count
        guard count > 0 else { continue }
        let before = Bool.random(using: &generator) ? count : Int.random(in: 0..<count, using: &generator)
        try await store.truncate(StreamName(stream), before: Revision(UInt64(before)))
        model.truncate(stream, before: before)
      case 3:
        _ = try await store.log.compact().report()
        model.compact()
      default:
        let went = RoutesV1.Went(
          number: model.entries.count,
          to: (0..<2).map { _ in (Routes.names + Routes.others).randomElement(using: &generator) ?? "a" })
        try await store.append([event(went)], to: StreamName(stream))
        model.entries.append(Entry(went: went, stream: stream))
      }
    }
  }

  /// Runs a pass and stops it on its way.
  private func stop<Plan: SchemaMigrationPlan>(_ plan: Plan.Type, _ options: MigrationOptions) async throws {
    let stopping = Stopping()
    var options = options
    options.atPoint = { if $0 == .batchCommitted { stopping.stop() } }
    var passes = try PlanMigration(at: place.url, plan: plan, to: nil, options: .merging(every: 16))
    guard let run = try passes.next(options) else { return }
    stopping.put(run)
    do throws(AnnalsError) { _ = try await run.report() } catch { #expect(error.code == .cancelled) }
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `what a truncation hides stays away, and a stream is empty if nothing of it is read`(seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    var model = Model()
    var passing = MigrationOptions()
    passing.batch = Int.random(in: 1..<20, using: &generator)
    passing.durableBatch = Int.random(in: 1..<20, using: &generator)
    do {
      let store = try EventStore(at: place.url, plan: RoutesFirst.self, options: .merging(every: 16))
      try await change(store, &model, &generator) { .went($0) }
      try await expect(store, is: model) { $0.number }
    }
    if seed.isMultiple(of: 2) { try await stop(RoutesSecond.self, passing) }
    do {
      let store = try EventStore(at: place.url, plan: RoutesSecond.self, options: .passing(passing))
      model.pass(0)
      try await expect(store, is: model) { $0.number }
      try await change(store, &model, &generator) { .went($0) }
      try await expect(store, is: model) { $0.number }
    }
    if seed.isMultiple(of: 3) { try await stop(RoutesThird.self, passing) }
    let store = try EventStore(at: place.url, plan: RoutesThird.self, options: .passing(passing))
    model.pass(1)
    try await expect(store, is: model) { $0.number }
  }
}
