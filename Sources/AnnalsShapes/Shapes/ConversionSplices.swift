internal import AnnalsCoding

/// A conversion of one record that only removes, keeps and adds fields: the most frequent one, in its fastest
/// form.
struct ConversionSplices: Sendable {
  /// The number of fields of the stored record.
  let fields: Int
  /// The splices after its head.
  let splices: [Splice]
  /// The number of new bytes.
  let added: Int

  /// Creates this form of a program whose first block does nothing else; `nil` if it does more.
  init?(_ code: [ConversionInstruction]) {
    guard let first = code.first, first.operation == .enter else { return nil }
    var splices = [Splice(start: 0, count: 0)]
    var added = 0
    for instruction in code.dropFirst().prefix(while: { $0.operation != .end }) {
      let number = instruction.first
      guard let last = splices.last else { return nil }
      switch instruction.operation {
      case .put:
        splices.append(Splice(start: number, count: instruction.second))
        added += Int(instruction.second)
      case .skip where last.kept == 0: splices[splices.count - 1].skipped += number
      case .skip: splices.append(Splice(start: 0, count: 0, skipped: number))
      case .copy where last.kept == 0: splices[splices.count - 1].kept = number
      case .copy: splices.append(Splice(start: 0, count: 0, kept: number))
      case .copyRest where last.kept == 0: splices[splices.count - 1].kept = -1
      case .copyRest: splices.append(Splice(start: 0, count: 0, kept: -1))
      default: return nil
      }
    }
    fields = Int(first.first)
    // The last fields are all that remains of the payload, so their end need not be searched for.
    let items = splices.reduce(0) { $0 + Int($1.skipped) + Int($1.kept) }
    if items == fields, let last = splices.lastIndex(where: { $0.skipped > 0 || $0.kept > 0 }),
      splices[last].kept > 0
    {
      splices[last].kept = -1
    }
    self.splices = splices.filter { $0.count > 0 || $0.skipped > 0 || $0.kept != 0 }
    self.added = added
  }
}
