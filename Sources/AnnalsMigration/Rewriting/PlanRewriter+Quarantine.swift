internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore

extension PlanRewriter {
  /// Adds an entry that cannot be upcast with its payload as it is, and why alongside it.
  ///
  /// One that an earlier pass has set aside stays as it is.
  ///
  /// - Returns: Whether it was added; `false` if its kind would not be the same in the new generation.
  func setAside(
    _ entry: borrowing LentEntry, _ mark: QuarantineMark, into run: inout RewrittenRun
  ) throws(AnnalsError) -> Bool {
    let (header, position) = (entry.header, entry.position)
    var extensions = try entry.layout { () throws(FormatFailure) in
      try EntryExtensions(entry.bytes, header)
    }
    if extensions[QuarantineMark.key] == nil { extensions[QuarantineMark.key] = mark.encoded() }
    let encoded = extensions.encoded()
    guard header.flags.contains(.parts) else {
      let fate = try table.fate(of: header.kind, at: position)
      guard fate.mayBeSetAside else { return false }
      run.tally.add(quarantined: fate.number, at: run.count)
      add(entry, kind: fate.number, .payload, entry.body, encoded, into: &run)
      return true
    }
    parts.clear()
    var kinds: [UInt32] = []
    var isAllowed = true
    try entry.eachPart { (kind, path, payload) throws(AnnalsError) in
      let fate = try table.fate(of: kind, at: position)
      isAllowed = isAllowed && fate.mayBeSetAside
      kinds.append(fate.number)
      parts.add(fate.number, path, payload)
    }
    guard isAllowed else { return false }
    for kind in kinds { run.tally.add(quarantined: kind, at: run.count) }
    let bytes = parts.bytes
    add(entry, kind: 0, .parts, bytes.span, encoded, into: &run)
    return true
  }
}
