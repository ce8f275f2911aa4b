internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

/// Computes the tags that entries get by a plan's rules, for one thread.
///
/// Each stage sees the events of an entry at its newer version, as reads of that version do. So a pass across
/// several stages gives the tags that one pass for each stage gives.
final class EntryRetagger {
  /// The rules of one stage, for a snapshot.
  private struct Stage {
    let rules: StageRetagging
    let upcaster: Upcaster
    let buffer: EventBuffer
    /// By kind number, whether the rules may concern its entries.
    let concerned: [Bool]
  }

  private let retagging: PassRetagging
  private let source: RewriteSource
  private var origins: EntryOrigin
  private var stages: [Stage] = []
  /// By kind number, whether any rule may concern its entries.
  private var concerned: [Bool] = []
  /// How many kinds, and after how many activations, ``stages`` are of.
  private var known: (kinds: Int, epoch: UInt64)?
  /// The last result: the rewriting and the comparison ask for the same entry.
  private var last: (position: Position, tags: [EventTag])?

  init(_ retagging: PassRetagging, _ source: RewriteSource) {
    self.retagging = retagging
    self.source = source
    origins = EntryOrigin(log: source.log)
  }

  /// Takes the kinds of the snapshot that the next entries are read from.
  func enter(_ kinds: KindRegistry) {
    last = nil
    guard known.map({ $0 != (kinds.kinds.count, kinds.epoch) }) ?? true else { return }
    known = (kinds.kinds.count, kinds.epoch)
    let count = kinds.kinds.keys.max().map { Int($0) + 1 } ?? 0
    concerned = Array(repeating: false, count: count)
    stages = retagging.stages.map { stage in
      var own = Array(repeating: false, count: count)
      for kind in kinds.kinds.values {
        guard let entrance = try? retagging.reach.entrance(of: kind, in: kinds), !entrance.isNewer,
          stage.steps.contains(entrance.step)
        else { continue }
        own[Int(kind.number)] = true
        concerned[Int(kind.number)] = true
      }
      return Stage(
        rules: stage.rules, upcaster: Upcaster(reach: stage.reach, kinds: kinds, of: source),
        buffer: stage.rules.makeBuffer(), concerned: own)
    }
  }

  /// Whether a rule may change the tags of an entry.
  func concerns(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    try Self.isAny(of: entry, in: concerned)
  }

  /// Returns the tags that an entry has after the pass, in the order of their bytes.
  ///
  /// - Throws: ``AnnalsError``: what a read of the entry throws; `ruleFailed` for tags that no event can
  ///   have.
  func tags(of entry: borrowing LentEntry, _ reader: StoreReader) throws(AnnalsError) -> [EventTag] {
    if let last, last.position == entry.position { return last.tags }
    var tags = try entry.tags
    let stream = try origins.name(of: entry.stream, reader)
    for stage in stages where try Self.isAny(of: entry, in: stage.concerned) {
      try stage.upcaster.upcast(entry, of: stream, into: stage.buffer)
      tags = stage.rules.change(stage.buffer).applied(to: tags)
      try check(tags, stage.rules, entry.position, stream)
    }
    last = (entry.position, tags)
    return tags
  }

  /// Whether any payload of an entry is of a kind with a flag.
  private static func isAny(of entry: borrowing LentEntry, in flags: [Bool]) throws(AnnalsError) -> Bool {
    let header = entry.header
    if header.isSystem || header.flags.contains(.stub) { return false }
    func has(_ kind: UInt32) -> Bool { Int(kind) < flags.count && flags[Int(kind)] }
    if !header.flags.contains(.parts) { return has(header.kind) }
    var isFound = false
    try entry.eachPart { (kind, _, _) in if has(kind) { isFound = true } }
    return isFound
  }

  private func check(
    _ tags: [EventTag], _ rules: StageRetagging, _ position: Position, _ stream: StreamName
  ) throws(AnnalsError) {
    var fault: String?
    if tags.count > TagList.maximumCount {
      fault = "gives the entry \(tags.count) tags, and the most is \(TagList.maximumCount)"
    }
    for tag in tags where fault == nil {
      guard let problem = NameRule.fault(of: tag.text) else { continue }
      fault = "gives a tag named '\(tag.name.text)' that cannot be stored, for \(problem)"
    }
    guard let fault else { return }
    let (from, to) = (rules.plan.schemas[rules.stage].version, rules.plan.current.version)
    throw AnnalsError(
      .ruleFailed,
      "position \(position), stream '\(stream)': the Retag of stage \(from) to \(to) \(fault); tag a shorter value, such as an id; the store is as it was",
      details: AnnalsError.Details {
        $0.position = position
        $0.stream = stream
        $0.version = to
      })
  }
}
