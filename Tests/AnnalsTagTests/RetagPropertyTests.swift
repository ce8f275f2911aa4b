import Annals
import Testing

@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration

/// Tags that passes compute again, on random logs, compared with a model in memory.
@Suite struct RetagPropertyTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
  }

  // Promise P192.
  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_SEEDS", usual: 6)))
  func `a pass computes exactly the tags that its stages name, and nothing else changes tags`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    var model = RetagModel()
    do {
      let store = try EventStore(at: place.url, plan: PlainCourses.self)
      for _ in 0..<30 { try await append(store, &model, &random) }
      try erase(store.log, &model, &random)
      try check(store.log, model, "seed \(seed), first version")
    }
    // Upcasting changes no tag, and a pass without a plan none either.
    do {
      let store = try EventStore(at: place.url, plan: RetaggedToThird.self)
      try check(store.log, model, "seed \(seed), read by the newest plan")
      if Bool.random(using: &random) { _ = try await store.log.compact().report() }
      try check(store.log, model, "seed \(seed), after a pass without a plan")
    }
    if Bool.random(using: &random) {
      do {
        let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
        try await pass(store, to: 2, &model, "seed \(seed), second version", &random)
        // Events of this version have the declared tags already.
        for _ in 0..<20 { try await appendSecond(store, &model, &random) }
        try erase(store.log, &model, &random)
        try check(store.log, model, "seed \(seed), appended in the second version")
      }
    }
    let store = try EventStore(at: place.url, plan: RetaggedToThird.self)
    if Bool.random(using: &random) {
      // Only part of the way, by the plan that goes on.
      let (after, changed) = model.passed(to: 2)
      let run = try store.migrate(to: SchemaVersion(2, 0, 0))
      #expect(try await run.report().retagged == changed, "seed \(seed)")
      model = after
      try check(store.log, model, "seed \(seed), to the second version")
    }
    try await pass(store, to: 3, &model, "seed \(seed), third version", &random)
    #expect(try await !store.migrate().report().isDone, "seed \(seed)")
    try check(store.log, model, "seed \(seed), after a second pass")
    _ = try await store.log.compact().report()
    try check(store.log, model, "seed \(seed), after a copy")
  }

  private func append(
    _ store: EventStore<PlainCourses>, _ model: inout RetagModel, _ random: inout SeededGenerator
  ) async throws {
    let content = RetagSamples.content(&random)
    let extra = RetagSamples.extra(&random)
    let added = try await store.append([RetagSamples.first(content, extra)], to: "all")
    model.events.append(
      RetagModel.Event(
        position: added.positions[0].rawValue, content: content, version: 1,
        tags: Set(RetagSamples.firstTags(content) + extra)))
  }

  private func appendSecond(
    _ store: EventStore<RetaggedToSecond>, _ model: inout RetagModel, _ random: inout SeededGenerator
  ) async throws {
    let content = RetagSamples.content(&random)
    let extra = RetagSamples.extra(&random)
    guard let (event, tags) = RetagSamples.second(content, extra) else { return }
    let added = try await store.append([event], to: "all")
    model.events.append(
      RetagModel.Event(
        position: added.positions[0].rawValue, content: content, version: 2, tags: Set(tags + extra)))
  }

  private func erase(
    _ log: EventLog, _ model: inout RetagModel, _ random: inout SeededGenerator
  ) throws {
    for _ in 0..<2 {
      guard
        let index = model.events.indices.filter({ !model.events[$0].isGone }).randomElement(using: &random)
      else { return }
      try log.erase([Position(model.events[index].position)], by: "test", because: "request")
      model.events[index].isGone = true
    }
  }

  /// Runs a pass, at times interrupted, rolled back and run again, on any number of threads.
  private func pass<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>, to version: Int, _ model: inout RetagModel, _ at: Comment,
    _ random: inout SeededGenerator
  ) async throws {
    let (after, changed) = model.passed(to: version)
    var options = MigrationOptions()
    options.threads = Int.random(in: 1...3, using: &random)
    options.batch = Int.random(in: 1...12, using: &random)
    options.durableBatch = Int.random(in: 1...12, using: &random)
    if Bool.random(using: &random) { options.comparison = .sampled }
    var rehearsal = options
    rehearsal.isRehearsal = true
    #expect(try await store.migrate(rehearsal).report().retagged == changed, at)
    try check(store.log, model, at)
    if Bool.random(using: &random) {
      let point = [PassPoint.created, .batchCommitted, .copied, .compared, .verified].randomElement(
        using: &random)
      try await StoppedPass(at: point ?? .copied).run(options) { (options) in try store.migrate(options) }
      try check(store.log, model, at)
    }
    #expect(try await store.migrate(options).report().retagged == changed, at)
    try check(store.log, after, at)
    if Bool.random(using: &random) {
      _ = try EventLog.rollback(place.url)
      try check(store.log, model, at)
      #expect(try await store.migrate(options).report().retagged == changed, at)
      try check(store.log, after, at)
    }
    model = after
  }

  /// Compares the tags of every entry, and the answer for every tag, with the model.
  private func check(_ log: EventLog, _ model: RetagModel, _ at: Comment) throws {
    let tags = model.tags
    try log.read { snapshot in
      var found: [UInt64: Set<EventTag>] = [:]
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        guard tags[entry.position.rawValue] != nil else { continue }
        found[entry.position.rawValue] = Set(entry.tags)
        #expect(entry.tags == entry.tags.sorted(), at)
      }
      #expect(found == tags, at)
      for tag in RetagSamples.all {
        for backwards in [false, true] {
          var matches: [UInt64] = []
          var entries = try snapshot.entries(matching: [.init(tags: [tag])], backwards: backwards)
          while let entry = try entries.next() { matches.append(entry.position.rawValue) }
          let expected = tags.filter { $0.value.contains(tag) }.map(\.key).sorted()
          #expect(matches == (backwards ? expected.reversed() : expected), "\(at), \(tag)")
        }
      }
    }
    #expect(try EventLog.verify(place.url).isClean, at)
  }
}
