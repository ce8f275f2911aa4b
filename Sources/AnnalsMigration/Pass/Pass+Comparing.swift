internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore

// The comparison of the delivered events of both generations.
extension Pass {
  /// Fewer entries than this are upcast again sooner than threads start.
  private static let leastRepeated = 4_096

  /// Begins to upcast the copied entries again, on threads of their own.
  ///
  /// A pass that leaves room to others, or keeps to a rate, does it step by step in its comparison.
  mutating func beginRepetition() throws(AnnalsError) {
    guard options.comparison == .full, work.reach != nil, work.move == nil, repetition == nil,
      machine.copied > resumedAt, options.rate == nil, !pace.hasWriter(at: now)
    else { return }
    let range = resumedAt + 1...machine.copied
    let count = threads(for: range)
    guard count > 1, range.count >= Self.leastRepeated else { return }
    repetition = try Repetition(
      of: range, digesting(old, .stored), expecting: delivered, threads: count, control)
  }

  /// Compares all that is copied and not compared.
  ///
  /// - Parameter body: Is called after each part, with its last position.
  mutating func compareAll(
    _ body: (inout Pass, UInt64) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    let first = machine.compared + 1
    // Nothing was noted of these when they were copied.
    let repeated = work.move == nil ? min(resumedAt, machine.copied) : machine.copied
    if first <= repeated {
      var line = try comparison(of: first...repeated, .all)
      while let part = try line.next() {
        delivered.add(try proven(part))
        try body(&self, part.positions.upperBound)
      }
    }
    guard machine.compared < machine.copied else { return }
    let rest = machine.compared + 1...machine.copied
    try compareRepeated(body)
    if machine.compared < machine.copied {
      let part = machine.compared + 1...machine.copied
      let repetition: Comparing.Repetition =
        switch options.comparison {
        case .full: .all
        case .sampled: .sample(try firsts(in: part))
        }
      try compare(part, repetition, body)
    }
    try mustBeDelivered(rest)
  }

  /// Compares the entries that other threads have begun to upcast again, if there are any.
  private mutating func compareRepeated(
    _ body: (inout Pass, UInt64) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    guard let repetition else { return }
    try compare(repetition.positions, .none, body)
    var (pass, begin) = (self, now)
    let repeated = try repetition.finish { (part) throws(AnnalsError) in
      try pass.rest(
        after: UInt64(part.count), begin.duration(to: pass.now), .comparing, part.upperBound,
        of: repetition.positions.upperBound)
      begin = pass.now
    }
    self = pass
    self.repetition = nil
    if let block = repetition.expected.difference(from: repeated) {
      throw try difference(in: block.clamped(to: repetition.positions))
    }
  }

  /// Compares entries with those of the new generation.
  private mutating func compare(
    _ range: ClosedRange<UInt64>, _ repetition: Comparing.Repetition,
    _ body: (inout Pass, UInt64) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    var line = try comparison(of: range, repetition)
    while let part = try line.next() {
      _ = try proven(part)
      try body(&self, part.positions.upperBound)
    }
  }

  /// Takes in the result of a comparison.
  ///
  /// - Returns: What the new generation delivers, if no difference was found.
  private mutating func proven(_ part: Comparing.Part) throws(AnnalsError) -> EventDigest {
    if let difference = part.difference { throw differs(at: difference) }
    digest.add(part.new)
    machine.compare(upTo: part.positions.upperBound)
    return part.new
  }

  /// Throws unless the new generation delivers the events that the copy noted.
  private func mustBeDelivered(_ range: ClosedRange<UInt64>) throws(AnnalsError) {
    for number in range.lowerBound / EventDigest.block...range.upperBound / EventDigest.block
    where delivered.blocks[number] != digest.blocks[number] {
      throw try difference(in: EventDigest.positions(of: number).clamped(to: 1...machine.copied))
    }
  }

  /// Returns the error for a block of which the generations deliver different events, with the positions that
  /// a comparison finds now.
  private func difference(in block: ClosedRange<UInt64>) throws(AnnalsError) -> AnnalsError {
    var line = try comparison(of: block, .all)
    while let part = try line.next() {
      if let found = part.difference { return differs(at: found) }
    }
    return differs(at: block)
  }

  private func differs(at positions: ClosedRange<UInt64>) -> AnnalsError {
    AnnalsError(
      .verifyFailed,
      """
      positions \(positions.lowerBound) to \(positions.upperBound): what the new generation delivers is not \
      what the old one delivers; the store is as it was. The new file does not give back what was copied to \
      it, or a rule gave another result than when it is repeated: test the plan with assertPure of \
      AnnalsTesting, and the disk
      """,
      details: AnnalsError.Details { $0.position = Position(positions.lowerBound) })
  }

  private func comparison(
    of range: ClosedRange<UInt64>, _ repetition: Comparing.Repetition
  ) throws(AnnalsError) -> PassLine<Comparing.Part> {
    let new = RewriteSource(
      target.environment, log: source.meta.log, hidden: work.move == nil ? old.hidden : .none,
      nameless: old.nameless)
    let (before, after): (StreamDigesting, StreamDigesting) =
      work.move.map { (.routed($0), .named) } ?? (.stored, .stored)
    return try Comparing(old: digesting(old, before), new: digesting(new, after), repetition: repetition)
      .line(range, threads: threads(for: range))
  }

  private func digesting(_ source: RewriteSource, _ streams: StreamDigesting) -> Digesting {
    Digesting(
      source: source, reach: work.reach, isQuarantining: isSettingAside, streams: streams,
      retagging: work.retagging)
  }

  /// The positions in `range` of the first entries of stored kinds: a rule may concern few entries.
  private func firsts(in range: ClosedRange<UInt64>) throws(AnnalsError) -> Set<UInt64> {
    let kinds = try source.read { (reader) throws(AnnalsError) in try reader.kinds() }
    return Set(kinds.kinds.values.map(\.row.first.rawValue).filter(range.contains))
  }
}
