import Annals

/// A value out of a record's `samples` or a schema's `sampleLogs`, as one version stores it.
struct Sample: Sendable {
  /// Which one of its record's or its log's it is, counted from 0.
  let number: Int
  /// The payload.
  let form: StoredForm
  /// The stream that it is appended to; `nil` for a sample of a record, which may be in any.
  var stream: StreamName?

  /// The record's name and the number.
  var name: String { "\(form.type)[\(number)]" }
}

extension PlanChain {
  /// The samples of each record of the current schema, in the order of its cases.
  static func samples() throws(AnnalsError) -> [(record: String, samples: [Sample])] {
    var all: [(record: String, samples: [Sample])] = []
    for record in Current.Event.records {
      all.append((record.type.recordName, try samples(of: record.type)))
    }
    return all
  }

  private static func samples<R: Record>(of type: R.Type) throws(AnnalsError) -> [Sample] {
    var samples: [Sample] = []
    for (number, value) in R.samples.enumerated() {
      samples.append(Sample(number: number, form: try StoredForm(value, in: Current.self)))
    }
    return samples
  }

  /// The logs of the current schema's ``VersionedSchema/sampleLogs``.
  func sampleLogs() throws(AnnalsError) -> [[Sample]] {
    let logs = Current.sampleLogs
    guard !logs.isEmpty else { return [] }
    // Only what an event of the schema is stored as matters, so its contexts do not.
    let pipeline = try pipeline(FrozenContexts())
    var all: [[Sample]] = []
    for log in logs {
      var samples: [Sample] = []
      for (number, sampled) in log.enumerated() {
        samples.append(
          Sample(number: number, form: try pipeline.form(of: sampled.event), stream: sampled.stream))
      }
      all.append(samples)
    }
    return all
  }

  /// The version that the chain ends at.
  static var version: SchemaVersion { Current.version }
  /// Whether that version may still change.
  static var isDraft: Bool { Current.stability == .draft }
}
