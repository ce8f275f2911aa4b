internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The samples of a plan's records as payloads, and the results of single stages for them.
package struct PlanSamples {
  /// A sample that cannot be stored.
  struct Unstorable {
    let schema: Int
    let record: Int
    let failure: CodingFailure
  }
  /// The payloads by schema and record.
  private(set) var payloads: [[[[UInt8]]]] = []
  /// The samples that cannot be stored; their records count as records without samples.
  private(set) var unstorable: [Unstorable] = []
  private let outline: ChainOutline
  /// The stages in order; empty if the plan is inconsistent.
  private let stages: [StageAlone]

  /// Encodes the samples of all records of `chain`.
  ///
  /// - Complexity: O(samples).
  package init<Oldest, Current>(of chain: MigrationChain<Oldest, Current>) {
    outline = chain.outline
    var stages: [StageAlone] = []
    if chain.outline.problems().isEmpty {
      for work in chain.works {
        do throws(AnnalsError) { stages.append(try work.alone()) } catch {
          // Compiling the plan reports why the parts of a manually written schema disagree.
          break
        }
      }
    }
    self.stages = stages.count == chain.works.count ? stages : []
    for (index, schema) in chain.outline.schemas.enumerated() {
      var records: [[[UInt8]]] = []
      for (number, record) in schema.records.enumerated() {
        do throws(CodingFailure) { records.append(try record.samples()) } catch {
          records.append([])
          unstorable.append(Unstorable(schema: index, record: number, failure: error))
        }
      }
      payloads.append(records)
    }
  }

  /// Returns the digest of the first `count` samples of a record, or of all if `count` is `nil`; `nil` if
  /// there are none, or fewer.
  package func digest(schema: Int, record: Int, first count: Int? = nil) -> SampleDigest? {
    let payloads = payloads[schema][record]
    let count = count ?? payloads.count
    guard count > 0, count <= payloads.count else { return nil }
    var hash = SHA256()
    for payload in payloads.prefix(count) { hash.update(counted: payload) }
    return SampleDigest(count: count, fingerprint: hash.finalize())
  }

  /// Returns the digest of the results of the stage numbered `stage` for the first `count` samples of a
  /// record of its older schema.
  ///
  /// - Returns: `nil` if there are no samples, or fewer, or the rule needs the context of the stage, which
  ///   only a store has.
  /// - Complexity: O(samples), and the time of the rule.
  package func behaviour(stage: Int, record: Int, first count: Int? = nil) -> SampleDigest? {
    let payloads = payloads[stage][record]
    let count = count ?? payloads.count
    guard count > 0, count <= payloads.count, canRun(stage: stage, record: record) else { return nil }
    let newer = outline.schemas[stage + 1].records
    var hash = SHA256()
    for index in 0..<count {
      switch outputs(stage: stage, record: record, sample: index) {
      case .failure:
        // The error that a rule throws is not part of its behaviour; the fact that it throws is.
        hash.update([0])
      case .success(let outputs):
        hash.update([1])
        hash.update(number: outputs.count)
        for output in outputs {
          hash.update(number: output.path.count)
          for part in output.path { hash.update(number: Int(part)) }
          // A manually written schema may number its cases wrongly.
          let name = newer.indices.contains(output.caseIndex) ? newer[output.caseIndex].name.text : ""
          hash.update(counted: Array(name.utf8))
          hash.update(counted: output.payload)
        }
      }
    }
    return SampleDigest(count: count, fingerprint: hash.finalize())
  }

  /// Returns why a stage fails for samples of a record: the number of the first such sample, and the failure.
  func failure(stage: Int, record: Int) -> (sample: Int, failure: StepFailure)? {
    guard canRun(stage: stage, record: record) else { return nil }
    for index in payloads[stage][record].indices {
      if case .failure(let failure) = outputs(stage: stage, record: record, sample: index) {
        return (index, failure)
      }
    }
    return nil
  }

  private func canRun(stage: Int, record: Int) -> Bool {
    guard stages.indices.contains(stage) else { return false }
    if case .rule = outline.crossings[stage][record] { return !outline.stages[stage].hasContext }
    return true
  }

  private func outputs(stage: Int, record: Int, sample: Int) -> Result<[StageAlone.Output], StepFailure> {
    do throws(StepFailure) {
      return .success(
        try stages[stage].run(record, payloads[stage][record][sample], Self.origin(of: sample)))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the origin of a sample for rules: the same in every run and on every machine.
  private static func origin(of sample: Int) -> Origin {
    let number = UInt64(sample)
    return Origin(
      position: Position(number + 1), stream: "samples", revision: Revision(rawValue: number),
      timestamp: Timestamp(microseconds: 1_000_000_000_000_000), id: nil, metadata: [:],
      log: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
  }
}

/// The number of samples, and the SHA-256 over them or over their results.
package struct SampleDigest: Equatable, Sendable {
  /// The number of samples.
  package let count: Int
  /// The SHA-256, 32 bytes.
  package let fingerprint: [UInt8]
}

extension SHA256 {
  /// Adds a number, 8 bytes with the most significant first.
  fileprivate mutating func update(number: Int) {
    let number = UInt64(number)
    update((0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) })
  }

  /// Adds a count and that many bytes, so that the following bytes cannot be mistaken for a part of them.
  fileprivate mutating func update(counted bytes: [UInt8]) {
    update(number: bytes.count)
    update(bytes)
  }
}
