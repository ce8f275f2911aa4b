internal import AnnalsCoding

/// A mapping of payloads in executable form.
///
/// It is an object so that running it touches one reference count, not one for each of its arrays.
package final class ConversionProgram: Sendable {
  private let code: [ConversionInstruction]
  private let pool: [UInt8]
  private let scalars: [ScalarStep]
  private let named: [NamedStep]
  /// The program as splices; `nil` if it does more than remove, keep and add fields of one record.
  let spliced: SplicedProgram?

  /// Creates the program of `mapping`; `definitions` are for its calls.
  init(_ mapping: Mapping, _ definitions: [Mapping]) {
    let assembly = ConversionAssembly(mapping, definitions)
    code = assembly.code
    pool = assembly.pool
    scalars = assembly.scalars
    named = assembly.named
    spliced = ConversionSplices(assembly.code, assembly.pool).map { SplicedProgram($0) }
  }

  /// Appends the converted `payload`; after a failure `output` is unchanged.
  func apply(_ payload: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    if let spliced { return try spliced.apply(payload, to: &output) }
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
