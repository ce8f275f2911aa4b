import Annals

/// All scenarios, in the order in which they run.
enum Catalogue {
  /// The scenarios with as much work as `scale` says.
  ///
  /// - Parameter count: The number of events for scenarios that take one, in place of what the scale says.
  static func scenarios(_ scale: Scale, count: Int? = nil) -> [any Scenario] {
    appends(isFull: scale == .full) + extremes(isFull: scale == .full, count) + reads(isFull: scale == .full)
      + passes(isFull: scale == .full) + stages(isFull: scale == .full) + views(isFull: scale == .full)
  }

  private static func appends(isFull: Bool) -> [any Scenario] {
    let streams = isFull ? [1_000, 100_000, 1_000_000] : [1_000, 100_000]
    let patience = Duration.seconds(isFull ? 6 : 1)
    func append(
      _ name: String, batch: Int, entries: Int, isBlocking: Bool = false, parts: [Double],
      ofSQLite sqlitePart: Double? = nil
    ) -> [any Scenario] {
      zip(streams, parts).map { streams, part in
        Append(
          name: name, batch: batch, streams: streams, entries: entries, perStore: entries,
          isBlocking: isBlocking, part: part, sqlitePart: sqlitePart, patience: patience)
      }
    }
    let commits = isFull ? 2_000_000 : 200_000
    func latency(perStore: Int) -> any Scenario {
      Append(
        name: "commit-latency", batch: 1_000, streams: 100_000, entries: commits, perStore: perStore,
        patience: patience)
    }
    func withIDs(_ idempotency: StoreOptions.Idempotency) -> any Scenario {
      AppendWithIDs(
        idempotency: idempotency, batch: 1_000, streams: 1_000, entries: isFull ? 200_000 : 20_000)
    }
    return append(
      "append-batch", batch: 10_000, entries: isFull ? 1_000_000 : 200_000, parts: [0.6, 0.5, 0.3])
      + append("append-batch", batch: 100, entries: isFull ? 100_000 : 20_000, parts: [0.8, 0.8, 0.8])
      + append(
        "append-single", batch: 1, entries: isFull ? 2_000 : 500, parts: [1.05, 1.05, 1.05], ofSQLite: 1)
      + append(
        "append-single-sync", batch: 1, entries: isFull ? 2_000 : 500, isBlocking: true,
        parts: [1.15, 1.15, 1.15], ofSQLite: 1.1)
      + [
        latency(perStore: commits),
        // Heads are merged after more entries than that, so these are commits without a merge.
        latency(perStore: 100_000),
        AppendWarm(
          batch: 10_000, streams: isFull ? 1_000_000 : 100_000, entries: isFull ? 500_000 : 100_000,
          patience: patience),
        withIDs(.window(64)), withIDs(.always),
      ]
      + [(1, 2_000), (100, 100_000), (10_000, 1_000_000)].map { batch, entries in
        let entries = isFull ? entries : entries / 4
        return Append(
          name: "append-relaxed", batch: batch, streams: 1_000, entries: entries, perStore: entries,
          durability: .relaxed, patience: patience)
      }
      + [
        Rollout(batch: 1_000, streams: 1_000, entries: isFull ? 200_000 : 50_000),
        AttachPhoto(photos: isFull ? 50 : 10),
        AppendConcurrent(
          tasks: 64, streams: 1_000, perTask: isFull ? 1_000 : 100, alone: isFull ? 1_000 : 300),
        DecideConcurrent(tasks: 1, perTask: isFull ? 6_400 : 640),
        DecideConcurrent(tasks: 64, perTask: isFull ? 100 : 10),
      ] + tags(isFull: isFull)
  }

  /// Tags, queries and conditions.
  private static func tags(isFull: Bool) -> [any Scenario] {
    [1_000, 100_000].map { tags in
      AppendTagged(batch: 10_000, streams: 1_000, tags: tags, entries: isFull ? 200_000 : 100_000)
        as any Scenario
    } + [
      ReadTag(tags: isFull ? 100_000 : 5_000, length: 10, reads: isFull ? 20_000 : 5_000)
    ] + [1, 16, 64].map { AppendConditional(tasks: $0, perTask: isFull ? 1_000 : $0 == 1 ? 300 : 100) }
  }

  /// Scenarios whose figures matter for one large number.
  private static func extremes(isFull: Bool, _ count: Int?) -> [any Scenario] {
    let sizes = count.map { [$0] } ?? (isFull ? [100_000, 1_000_000, 10_000_000] : [10_000, 100_000])
    return [
      Cancel(end: .answered, appends: count ?? (isFull ? 100_000 : 10_000)),
      Cancel(end: .thrown, appends: count ?? (isFull ? 100_000 : 10_000)),
      NewStreams(entries: count ?? (isFull ? 10_000_000 : 200_000)),
    ] + sizes.map { VerifyRate(filling: Filling(streams: max($0 / 10, 1), entriesPerStream: 10)) }
  }

  private static func reads(isFull: Bool) -> [any Scenario] {
    let million = isFull ? 1_000_000 : 100_000
    let filling = Filling(streams: isFull ? 100_000 : 5_000, entriesPerStream: 30)
    let long = Filling(streams: 1, entriesPerStream: million)
    let mixed = Filling(streams: 4, entriesPerStream: million / 4)
    let closed = Filling(streams: million / 10, entriesPerStream: 10)
    // An eighth is left to the process that is killed.
    let killed = Filling(streams: million / 80, entriesPerStream: 70)
    func open(_ filling: Filling, tail: Int) -> [any Scenario] {
      [false, true].map { Open(filling: filling, tail: tail, isCold: $0) }
    }
    return [
      Scan(filling: filling),
      ReadStream(filling: filling, reads: isFull ? 20_000 : 5_000),
      RandomRevision(filling: long, reads: isFull ? 20_000 : 5_000),
      RandomRevision(filling: mixed, reads: isFull ? 20_000 : 5_000),
      BytesOnDisk(filling: filling),
      RandomReopen(filling: filling, opens: isFull ? 500 : 100),
    ] + open(closed, tail: 0) + open(killed, tail: million / 8)
  }

  private static func passes(isFull: Bool) -> [any Scenario] {
    let entries = isFull ? 1_000_000 : 200_000
    let few = TypedLog(streams: 1_000, entries: entries)
    let many = TypedLog(streams: 100_000, entries: entries)
    let short = TypedLog(streams: 1_000, entries: entries / 10)
    return [few, many].flatMap { log in
      [WatchedPass.Work.rule, .carried].flatMap { work in
        [true, false].map { PassRate(work: work, log: log, isWhole: $0) as any Scenario }
      }
    } + [
      PassRate(work: .rule, log: few, isWhole: true, comparison: .sampled),
      PassRate(work: .rule, log: many, isWhole: true, comparison: .sampled),
      PassRate(work: .compact, log: few, isWhole: true), PassThreads(log: few, isWhole: false),
      PassThreads(log: few, isWhole: true), PassBesideWriter(log: few, share: 4),
      PassBesideWriter(log: few, share: 1), PassSwitch(log: short), PassSwitch(log: few),
      PassMemory(log: TypedLog(streams: 1_000, entries: isFull ? 5_000_000 : 500_000)),
    ]
  }

  private static func stages(isFull: Bool) -> [any Scenario] {
    let log = TypedLog(streams: 1_000, entries: isFull ? 1_000_000 : 200_000)
    return [ContextLookup(log: log), PassFold(log: log)]
  }

  private static func views(isFull: Bool) -> [any Scenario] {
    let log = TypedLog(streams: 1_000, entries: isFull ? 1_000_000 : 200_000)
    let tree = TreeLog(entries: isFull ? 1_000_000 : 200_000, files: isFull ? 30_000 : 10_000)
    return [
      ViewRebuild(log: log, isTogether: false), ViewRebuild(log: log, isTogether: true), ViewTree(log: tree),
      ViewLatency(isAcross: false, appends: isFull ? 1_000 : 200),
      ViewLatency(isAcross: true, appends: isFull ? 1_000 : 200),
    ]
  }
}
