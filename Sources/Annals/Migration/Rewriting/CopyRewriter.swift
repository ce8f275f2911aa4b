/// Copies entries as they are: what a pass without a plan does.
final class CopyRewriter: EntryRewriter {
  private let kinds: GenerationKinds

  init(_ kinds: GenerationKinds) {
    self.kinds = kinds
  }

  func enter(_ source: KindRegistry) throws(AnnalsError) {
    _ = try kinds.table(for: source)
  }

  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    let index = run.count
    let header = entry.header
    if header.flags.contains(.stub) {
      run.tally.add(stub: header.kind, entry.bytes[header.body.lowerBound], at: index)
    } else if header.flags.contains(.parts) {
      let isQuarantined = try entry.isQuarantined
      try entry.eachPart { (kind, _, payload) throws(AnnalsError) in
        if isQuarantined {
          run.tally.add(quarantined: kind, at: index)
        } else {
          run.tally.add(kind, bytes: payload.count, at: index)
        }
      }
    } else if try entry.isQuarantined {
      run.tally.add(quarantined: header.kind, at: index)
    } else {
      run.tally.add(header.kind, bytes: header.body.count, at: index)
    }
    run.add(unchanged: entry.bytes)
  }
}
