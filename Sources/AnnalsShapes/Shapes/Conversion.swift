package import AnnalsCoding

/// A conversion of payloads of one shape to another, computed once for many payloads.
///
/// It changes only the necessary parts and checks nothing else: the reader after it checks the copied parts.
package struct Conversion: Sendable {
  /// Steps that could not be merged into one, each with the definitions for its calls.
  private var steps: [Step] = []
  /// The program of the only step, if there is just one.
  private var program: ConversionProgram?

  private struct Step: Sendable {
    let mapping: Mapping
    let definitions: [Mapping]
    let program: ConversionProgram

    init(_ mapping: Mapping, _ definitions: [Mapping]) {
      self.mapping = mapping
      self.definitions = definitions
      program = ConversionProgram(mapping, definitions)
    }

    /// Whether it refuses some payloads of its shape.
    var isPartial: Bool { ([mapping] + definitions).contains { $0.contains(\.isPartial) } }

    /// Returns this step and `next` as one; `nil` if they must run one after the other.
    func followed(by next: Step) -> Mapping? {
      // Two types that contain themselves would have to be unrolled together.
      guard definitions.isEmpty || next.definitions.isEmpty, !isPartial else { return nil }
      return mapping.followed(by: next.mapping, definitions + next.definitions)
    }
  }

  private init(_ steps: [Step]) {
    self.steps = steps
    program = steps.count == 1 ? steps[0].program : nil
  }

  /// Creates the conversion for `mapping`; `definitions` are for its calls.
  init(_ mapping: Mapping, _ definitions: [Mapping] = []) {
    // A definition leaves its values unchanged if the definitions that it calls do. The result is what
    // remains after removing all others.
    var same = Set(definitions.indices)
    var count: Int
    repeat {
      count = same.count
      same = same.filter { definitions[$0].simplified(same: same) == .same }
    } while same.count < count
    let simple = mapping.simplified(same: same)
    guard simple != .same else {
      self = .same
      return
    }
    let calls = simple.contains { if case .call = $0 { true } else { false } }
    self.init([Step(simple, calls ? definitions.map { $0.simplified(same: same) } : [])])
  }

  /// The conversion between shapes whose payloads have the same bytes.
  package static let same = Conversion([Step]())

  /// The program, if it is the only one and just removes, keeps and adds fields of one record.
  package var spliced: SplicedProgram? { program?.spliced }

  /// Whether payloads are unchanged.
  package var isSame: Bool { steps.isEmpty }

  /// Appends the converted `payload` to `output`, which is unchanged after a failure.
  ///
  /// - Throws: ``CodingFailure`` with the offset in `payload` of a part that must change and cannot.
  /// - Complexity: O(the part before the last field that changes) and one copy of the rest. It does not
  ///   allocate if `output` has capacity and nothing is sorted.
  package func apply(_ payload: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    if let program { return try program.apply(payload, to: &output) }
    guard let last = steps.last else {
      output.append(payload)
      return
    }
    var between: [UInt8] = []
    try steps[0].program.apply(payload, to: &between)
    for step in steps.dropFirst().dropLast() {
      var next: [UInt8] = []
      try step.program.apply(between.span, to: &next)
      between = next
    }
    try last.program.apply(between.span, to: &output)
  }

  /// Returns a conversion that applies this one and then `next`, in one step if possible.
  ///
  /// Two steps remain if the first refuses some payloads, or if both change a type that contains itself.
  package func followed(by next: Conversion) -> Conversion {
    var steps = steps
    for step in next.steps {
      if let last = steps.last, let fused = last.followed(by: step) {
        steps.removeLast()
        steps += Conversion(fused, last.definitions + step.definitions).steps
      } else {
        steps.append(step)
      }
    }
    return Conversion(steps)
  }

  /// The mappings that run one after the other, each with the definitions for its calls.
  var mappings: [(mapping: Mapping, definitions: [Mapping])] { steps.map { ($0.mapping, $0.definitions) } }

  /// Whether it refuses some payloads of its shape.
  package var isPartial: Bool { steps.contains(where: \.isPartial) }

  /// The number of passes over a payload: 0 if payloads are unchanged, 1 for a single step.
  var passes: Int { steps.count }
}
