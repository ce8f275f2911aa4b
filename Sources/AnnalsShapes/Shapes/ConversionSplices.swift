package import AnnalsCoding

/// A conversion of one record that only removes, keeps and adds fields: the most frequent one, in its fastest
/// form.
///
/// It is an object with one value: the methods of the value borrow its arrays without counting references.
package final class SplicedProgram: Sendable {
  private let splices: ConversionSplices

  init(_ splices: ConversionSplices) {
    self.splices = splices
  }

  /// Calls `body` with the converted `payload`, which exists during the call only.
  package func lend(_ payload: Span<UInt8>, _ body: (Span<UInt8>) -> Void) throws(CodingFailure) {
    try splices.lend(payload, body)
  }

  /// Appends the converted `payload`; after a failure `output` is unchanged.
  func apply(_ payload: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    try splices.apply(payload, to: &output)
  }
}

/// The splices of a conversion.
struct ConversionSplices: Sendable {
  /// The number of fields of the stored record.
  private let fields: Int
  /// The splices after its head.
  private let splices: [Splice]
  /// The new bytes, one after the other, after some that are not needed.
  private let pool: [UInt8]
  /// The number of new bytes.
  private let added: Int

  /// Creates this form of a program whose first block does nothing else; `nil` if it does more.
  ///
  /// - Parameter pool: The bytes that the program puts.
  init?(_ code: [ConversionInstruction], _ pool: [UInt8]) {
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
    self.pool = pool
  }

  func lend(_ payload: Span<UInt8>, _ body: (Span<UInt8>) -> Void) throws(CodingFailure) {
    let offset = try payload.end(ofHead: fields, at: 0)
    try Splice.lend(splices.span, of: payload, from: offset, pool: pool.span, added: added, body)
  }

  func apply(_ payload: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    let offset = try payload.end(ofHead: fields, at: 0)
    try output.append(splices.span, of: payload, from: offset, pool: pool.span, added: added)
  }
}
