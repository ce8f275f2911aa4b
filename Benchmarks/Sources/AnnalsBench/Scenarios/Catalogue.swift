/// All scenarios, in the order in which they run.
enum Catalogue {
  /// The scenarios with as much work as `scale` says.
  static func scenarios(_ scale: Scale) -> [any Scenario] {
    let isFull = scale == .full
    let filling = Filling(scale)
    return [
      AppendBatch(batch: 10_000, streams: 1_000, entries: isFull ? 1_000_000 : 200_000),
      AppendBatch(batch: 10_000, streams: 100_000, entries: isFull ? 1_000_000 : 200_000),
      AppendBatch(batch: 1_000, streams: 1_000, entries: isFull ? 200_000 : 50_000),
      AppendBatch(batch: 1_000, streams: 100_000, entries: isFull ? 200_000 : 50_000),
      AppendSingle(streams: 1_000, entries: isFull ? 5_000 : 500),
      Scan(filling: filling),
      ReadStream(filling: filling, reads: isFull ? 20_000 : 5_000),
      BytesOnDisk(filling: filling),
    ]
  }
}
