internal import AnnalsCoding

/// One stage without the others: it converts payloads of its older version to events of its newer one.
struct StageAlone: Sendable {
  /// A resulting event.
  struct Output: Sendable {
    /// The path of the part.
    let path: [UInt32]
    /// The number of its case in the newer schema.
    let caseIndex: Int
    /// Its payload.
    let payload: [UInt8]
  }
  /// Returns the events that a payload of the case with this number becomes.
  let run: @Sendable (_ caseIndex: Int, _ payload: [UInt8], Origin) throws(StepFailure) -> [Output]
}

extension MigrationStage {
  /// Returns this stage without the others, and without a context.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan` if the stage is invalid.
  func alone() throws(AnnalsError) -> StageAlone {
    var table: [[PayloadStep]] = []
    _ = try extend(VersionSteps<To.Event>(), StageContexts(), &table)
    let steps = table.first ?? []
    return StageAlone { (caseIndex, payload, origin) throws(StepFailure) in
      let delivery = TypedEventBuffer<To.Event>()
      try steps[caseIndex].run(payload.span, origin, delivery)
      var outputs: [StageAlone.Output] = []
      for entry in delivery.entries {
        var payload: [UInt8] = []
        do throws(CodingFailure) { try entry.event.encode(into: &payload) } catch {
          throw .undecodable(error)
        }
        outputs.append(.init(path: entry.path, caseIndex: entry.event.caseIndex, payload: payload))
      }
      return outputs
    }
  }
}

extension Record {
  /// Returns the samples as payloads.
  static func samplePayloads() throws(CodingFailure) -> [[UInt8]] {
    var payloads: [[UInt8]] = []
    for sample in samples {
      var payload: [UInt8] = []
      try sample.encode(into: &payload)
      payloads.append(payload)
    }
    return payloads
  }
}
