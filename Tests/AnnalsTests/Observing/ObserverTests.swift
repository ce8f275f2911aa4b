import Annals
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

/// What an observer is called for, and the text of metrics.
@Suite struct ObserverTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func options(_ observer: any StoreObserver) -> StoreOptions {
    var options = StoreOptions()
    options.observer = observer
    return options
  }

  @Test func `a commit is reported with its events, bytes, calls and duration`() async throws {
    let record = ObserverRecord()
    let store = try EventStore(at: place.url, plan: FirstGauges.self, options: options(record))
    try await store.append([.measured(.init(value: 1)), .measured(.init(value: 2))], to: "a")
    let commits = record.seen.commits
    #expect(commits.map(\.events) == [2])
    #expect(commits.map(\.calls) == [1])
    #expect(commits.allSatisfy { $0.bytes > 0 && $0.duration > .zero })
    // A refused call stores nothing and is no commit.
    await #expect(throws: AnnalsError.self) {
      try await store.append([.measured(.init(value: 3))], to: "a", expecting: .noStream)
    }
    #expect(record.seen.commits.count == 1)
  }

  @Test func `calls that share commits are all counted`() async throws {
    let record = ObserverRecord()
    let store = try EventStore(at: place.url, plan: FirstGauges.self, options: options(record))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask { _ = try? await store.append([.measured(.init(value: number))], to: "s\(number)") }
      }
    }
    #expect(record.seen.commits.reduce(0) { $0 + $1.events } == 50)
    #expect(record.seen.commits.reduce(0) { $0 + $1.calls } == 50)
  }

  @Test func `reads and each stage are reported with their entries`() async throws {
    try await EventStore(at: place.url, plan: FirstGauges.self)
      .append([.measured(.init(value: 1)), .measured(.init(value: 2))], to: "a")
    let record = ObserverRecord()
    let store = try EventStore(at: place.url, plan: Gauges.self, options: options(record))
    try await store.append([.measured(.init(tenths: 30))], to: "a")
    var values: [Int] = []
    for try await entry in store.entries() {
      if case .measured(let measured) = entry.event { values.append(measured.tenths) }
    }
    #expect(values == [10, 20, 30])
    #expect(record.seen.reads.reduce(0) { $0 + $1.entries } == 3)
    let (first, second) = (SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0))
    #expect(
      record.seen.upcasts.filter { $0.entries > 0 } == [UpcastActivity(from: first, to: second, entries: 2)])
    // The same through a snapshot.
    let count = try store.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries()
      var count = 0
      while try entries.next() != nil { count += 1 }
      return count
    }
    #expect(count == 3)
    #expect(record.seen.reads.reduce(0) { $0 + $1.entries } == 6)
    #expect(record.seen.upcasts.reduce(0) { $0 + $1.entries } == 4)
  }

  @Test func `a page of untyped entries is reported`() async throws {
    let record = ObserverRecord()
    let log = try EventLog(at: place.url, options: options(record))
    try await log.append([NewEntry(type: "T", version: nil, payload: Payload(["n": 1]))], to: "a")
    for try await _ in log.entries() {}
    #expect(record.seen.reads.reduce(0) { $0 + $1.entries } == 1)
    #expect(record.seen.upcasts.isEmpty)
  }

  @Test func `an entry in quarantine is reported to the observer and to the closure`() async throws {
    try await EventStore(at: place.url, plan: FirstGauges.self)
      .append([.measured(.init(value: -1)), .measured(.init(value: 2))], to: "a")
    let record = ObserverRecord()
    let reported = Mutex(0)
    var options = options(record)
    options.unreadable = .quarantine { _ in reported.withLock { $0 += 1 } }
    let store = try EventStore(at: place.url, plan: Gauges.self, options: options)
    let count = try await store.entries().reduce(into: 0) { count, _ in count += 1 }
    #expect(count == 1)
    #expect(record.seen.quarantined == [1])
    #expect(reported.withLock(\.self) == 1)
  }

  @Test func `a pass and the batches of a view are reported`() async throws {
    try await EventStore(at: place.url, plan: FirstGauges.self).append([.measured(.init(value: 1))], to: "a")
    let record = ObserverRecord()
    let store = try EventStore(at: place.url, plan: Gauges.self, options: options(record))
    let view = try store.view(HighestGauge.self)
    let appended = try await store.append([.measured(.init(tenths: 70))], to: "a")
    try await view.waitUntil(appended.position ?? Position(1))
    let last = try #require(record.seen.views.last)
    #expect(last.name == "highest" && last.version == 1)
    #expect(last.position == Position(2) && last.lag == 0)
    let report = try await store.migrate().report()
    #expect(record.seen.passes.map(\.generation) == [report.generation])
    #expect(record.seen.passes.map(\.entries) == [2])
  }

  @Test func `a decision and a handler that are tried again, and a dead letter, are reported`() async throws {
    let record = ObserverRecord()
    let store = try EventStore(at: place.url, plan: Gauges.self, options: options(record))
    var isFirst = true
    try await store.decide(GaugeSum.self, on: "a") { sum in
      if isFirst {
        isFirst = false
        // Another append comes between the load and the append of the decision.
        try store.append([.measured(.init(tenths: 1))], to: "a")
      }
      return [.measured(.init(tenths: sum.tenths + 1))]
    }
    #expect(
      record.seen.retries == [RetryActivity(work: .decision, name: "sum", stream: "a", attempt: 2)])
    struct Unable: Error {}
    try await store.process(
      "mailer", options: ProcessingOptions(poison: .deadLetter(after: 2, pause: .zero), endsAtHead: true)
    ) { _ in throw Unable() }
    #expect(record.seen.retries.filter { $0.work == .handler }.map(\.attempt) == [2, 2])
    #expect(record.seen.letters.map(\.position) == [Position(1), Position(2)])
    #expect(record.seen.letters.allSatisfy { $0.consumer == "mailer" && $0.attempts == 2 })
  }

  @Test func `metrics are valid lines of Prometheus' text format, with labels escaped`() async throws {
    let metrics = StoreMetrics()
    let store = try EventStore(at: place.url, plan: Gauges.self, options: options(metrics))
    try await store.append([.measured(.init(tenths: 1))], to: "a")
    for try await _ in store.entries() {}
    try await store.process("mailer", to: [\.measured], options: ProcessingOptions(endsAtHead: true)) { _ in }
    try await store.log.append(
      [NewEntry(type: "odd \"\\\n type", version: nil, payload: Payload(["n": 1]))], to: "b")
    let text = metrics.prometheusText + (try store.log.prometheusMetrics())
    let name = "[a-z_]+", label = #"[a-z]+="([^"\\\n]|\\["\\n])*""#
    let line = try Regex(
      #"# HELP annals_\#(name) .+|# TYPE annals_\#(name) (counter|gauge)|annals_\#(name)(\{\#(label)(,\#(label))*\})? [0-9.e+-]+"#
    )
    for row in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      #expect(row.wholeMatch(of: line) != nil, "\(row)")
    }
    #expect(text.hasSuffix("\n"))
    #expect(text.contains("annals_stored_events_total 2\n"))
    #expect(text.contains("annals_commits_total 2\n"))
    #expect(text.contains("annals_entries 2\n"))
    #expect(text.contains(#"annals_events{type="Measured",version="2.0.0"} 1"# + "\n"))
    #expect(text.contains(#"annals_events{type="odd \"\\\n type",version=""} 1"# + "\n"))
    #expect(text.contains(#"annals_lag{kind="consumer",name="mailer"} "#))
    // Each metric is described once.
    let described = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
    #expect(Set(described).count == described.count)
  }
}

/// An observer that keeps everything.
private final class ObserverRecord: StoreObserver {
  struct Seen: Sendable {
    var commits: [CommitActivity] = []
    var reads: [ReadActivity] = []
    var upcasts: [UpcastActivity] = []
    var passes: [PassActivity] = []
    var views: [ViewActivity] = []
    var retries: [RetryActivity] = []
    var quarantined: [Position] = []
    var letters: [DeadLetterActivity] = []
  }

  private let state = Mutex(Seen())
  var seen: Seen { state.withLock { $0 } }

  func committed(_ activity: CommitActivity) { state.withLock { $0.commits.append(activity) } }
  func read(_ activity: ReadActivity) { state.withLock { $0.reads.append(activity) } }
  func upcast(_ activity: UpcastActivity) { state.withLock { $0.upcasts.append(activity) } }
  func passed(_ activity: PassActivity) { state.withLock { $0.passes.append(activity) } }
  func followed(_ activity: ViewActivity) { state.withLock { $0.views.append(activity) } }
  func retried(_ activity: RetryActivity) { state.withLock { $0.retries.append(activity) } }
  func quarantined(_ entry: QuarantinedEntry) { state.withLock { $0.quarantined.append(entry.position) } }
  func deadLettered(_ activity: DeadLetterActivity) { state.withLock { $0.letters.append(activity) } }
}

@Schema(1, 0, 0) enum GaugesV1 {
  @Record struct Measured { var value: Int }
}

@Schema(2, 0, 0) enum GaugesV2 {
  @Record struct Measured { var tenths: Int }
}

private struct NegativeGauge: Error {}

enum FirstGauges: SchemaMigrationPlan {
  static var stages: MigrationChain<GaugesV1, GaugesV1> {}
}

enum Gauges: SchemaMigrationPlan {
  static var stages: MigrationChain<GaugesV1, GaugesV2> {
    MigrationStage.custom(fromVersion: GaugesV1.self, toVersion: GaugesV2.self) {
      Upcast(\.measured, to: \.measured) { old, _ in
        guard old.value >= 0 else { throw NegativeGauge() }
        return .init(tenths: old.value * 10)
      }
    }
  }
}

private enum HighestGauge: Projection {
  typealias Event = GaugesV2.Event
  @Record struct Highest: ProjectionRow {
    var stream: String
    var tenths: Int
    var key: String { stream }
  }

  static let name = "highest"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Highest.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .measured(let measured) = entry.event else { return }
    let stream = entry.stream.text
    try rows.update(Highest.self, stream, initial: Highest(stream: stream, tenths: measured.tenths)) {
      $0.tenths = max($0.tenths, measured.tenths)
    }
  }
}

private enum GaugeSum: Aggregate {
  typealias Event = GaugesV2.Event
  @Record struct State { var tenths: Int = 0 }
  static let name = "sum"
  static let version = 1
  static var initial: State { State() }
  static func apply(_ entry: Entry<Event>, to state: inout State) {
    if case .measured(let measured) = entry.event { state.tenths += measured.tenths }
  }
}
