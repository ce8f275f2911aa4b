package import AnnalsCoding

/// A mapping of payloads in executable form.
///
/// It is an object so that running it touches one reference count, not one for each of its arrays.
package final class ConversionProgram: Sendable {
  private let code: [ConversionInstruction]
  private let pool: [UInt8]
  private let scalars: [ScalarStep]
  private let named: [NamedStep]
  private let short: ConversionSplices?

  /// Creates the program of `mapping`; `definitions` are for its calls.
  init(_ mapping: Mapping, _ definitions: [Mapping]) {
    let assembly = ConversionAssembly(mapping, definitions)
    code = assembly.code
    pool = assembly.pool
    scalars = assembly.scalars
    named = assembly.named
    short = ConversionSplices(assembly.code)
  }

  /// Whether the program only removes, keeps and adds fields of one record.
  var isSpliced: Bool { short != nil }

  /// Calls `body` with the converted `payload`, which exists during the call only.
  ///
  /// - Precondition: ``isSpliced``.
  package func lend(_ payload: Span<UInt8>, _ body: (Span<UInt8>) -> Void) throws(CodingFailure) {
    guard let short else { preconditionFailure("a conversion that is no splice") }
    let offset = try payload.end(ofHead: short.fields, at: 0)
    let (splices, pool) = (short.splices, pool)
    try Splice.lend(splices.span, of: payload, from: offset, pool: pool.span, added: short.added, body)
  }

  /// Appends the converted `payload`; after a failure `output` is unchanged.
  func apply(_ payload: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    if let short {
      let offset = try payload.end(ofHead: short.fields, at: 0)
      let (splices, pool) = (short.splices, pool)
      return try output.append(
        splices.span, of: payload, from: offset, pool: pool.span, added: short.added)
    }
    let count = output.count
    let (code, pool, scalars, named) = (code, pool, scalars, named)
    var run = ConversionRun(
      code: code.span, pool: pool.span, scalars: scalars.span, named: named.span, bytes: payload)
    do throws(CodingFailure) {
      try run.block(0, depth: 0, into: &output)
    } catch {
      output.removeSubrange(count...)
      throw error
    }
  }
}
