package import AnnalsCoding

/// How payloads of one shape become payloads of another, worked out once for many payloads.
///
/// It changes only what must change and looks at nothing else: what it copies is for the reader behind it to check.
package struct Conversion: Sendable {
  /// Steps that could not be made one, each with what its calls stand for.
  private var steps: [Step] = []
  /// The program of the only step, where there is one.
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

    /// Whether it refuses some payloads of the shape that it is for.
    var isPartial: Bool { ([mapping] + definitions).contains { $0.contains(\.isPartial) } }

    /// This step and `next` as one; `nil` where they must be done one after the other.
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

  /// The conversion that `mapping` says; `definitions` are what its calls stand for.
  init(_ mapping: Mapping, _ definitions: [Mapping] = []) {
    // A definition leaves its values as they are if it does so wherever those that it calls do: what remains when none is left out any more.
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

  /// The conversion between shapes whose payloads are the same bytes.
  static let same = Conversion([Step]())

  /// Whether payloads stay as they are.
  package var isSame: Bool { steps.isEmpty }

  /// Appends what `payload` becomes to `output`, which after a failure is as before.
  ///
  /// - Throws: ``CodingFailure`` with the offset in `payload` where something that must change cannot.
  /// - Complexity: O(what stands before the last field that changes) and one copy of the rest, without allocating where
  ///   `output` has room and nothing is sorted.
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

  /// The conversion that does this one and then `next`, as one wherever that is possible.
  ///
  /// Two are done one after the other where the first refuses some payloads, or where both reach into a type that contains itself.
  func followed(by next: Conversion) -> Conversion {
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

  /// The mappings that are done one after the other, each with what its calls stand for.
  var mappings: [(mapping: Mapping, definitions: [Mapping])] { steps.map { ($0.mapping, $0.definitions) } }

  /// Whether it refuses some payloads of the shape that it is for.
  var isPartial: Bool { steps.contains(where: \.isPartial) }

  /// How many passes over a payload it takes: 0 where payloads stay, 1 for what could be made one.
  var passes: Int { steps.count }
}
