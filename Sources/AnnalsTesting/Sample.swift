import Annals

/// A value from a record's `samples` or a schema's `sampleLogs`, as one version stores it.
struct Sample: Sendable {
  /// The number in its record's samples or its log, counted from 0.
  let number: Int
  /// The payload.
  let form: StoredForm
  /// The stream to which it is appended; `nil` for a sample of a record, which may be in any.
  var stream: StreamName?

  /// The record's name and the number.
  var name: String { "\(form.type)[\(number)]" }
}

extension PlanChain {
  /// Returns the samples of each record of the current schema, in the order of its cases.
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

  /// Returns the logs of the current schema's ``VersionedSchema/sampleLogs``.
  func sampleLogs() throws(AnnalsError) -> [[Sample]] {
    let logs = Current.sampleLogs
    guard !logs.isEmpty else { return [] }
    // Only the stored form of the events matters, and contexts do not change it.
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

  /// The version at the end of the chain.
  static var version: SchemaVersion { Current.version }
  /// Whether that version may still change.
  static var isDraft: Bool { Current.stability == .draft }
}
