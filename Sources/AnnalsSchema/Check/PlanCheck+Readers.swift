public import AnnalsCoding

extension PlanCheck {
  /// The oldest version whose programs can read one record of a plan.
  ///
  /// A program of an older version knows only a newer record's name and shape. It reads the record if these
  /// lead to the same result as the stages. Otherwise it fails with `newerSchema`.
  public struct Readers: Hashable, Sendable {
    /// The version that stores the record.
    public let version: SchemaVersion
    /// The name of the record on disk.
    public let record: String
    /// The oldest version whose programs read it.
    public let oldest: SchemaVersion
    /// Why programs of the version before that one cannot read it; `nil` if the plan has no such version.
    public let reason: String?
  }

  /// Returns the names of the records of one version that programs of another one can read.
  ///
  /// - Parameters:
  ///   - version: The version that stores them.
  ///   - older: The version of the programs, at most the other version.
  public func records(of version: SchemaVersion, readableBy older: SchemaVersion) -> [String] {
    readers.filter { $0.version == version && $0.oldest <= older && older <= version }.map(\.record)
  }
}

extension PlanCheck.Readers {
  /// Returns the readers of all records of a chain.
  static func all(of outline: ChainOutline) -> [PlanCheck.Readers] {
    outline.schemas.enumerated().flatMap { index, schema in
      schema.records.enumerated().map { number, record in
        let readers = outline.readers(of: number, in: index)
        return PlanCheck.Readers(
          version: schema.version, record: record.name.text, oldest: readers.oldest,
          reason: readers.barrier?.words)
      }
    }
  }
}

extension RecordReaders.Barrier {
  /// The barrier in words.
  fileprivate var words: String {
    switch self {
    case .draft: "the version is a draft"
    case .otherRecord: "the version before has another record of this name, or none"
    case .rule: "a rule takes the older record"
    case .byName: "it is stored by name"
    case .streams: "entries move to other streams"
    case .movedFields: "fields move into or out of a part"
    case .fieldNames: "older programs would take one field for another, or miss one"
    case .shape: "older programs lack a value, or cannot read one"
    }
  }
}

extension PlanCheck {
  /// The report's lines about older programs, one for each version except the oldest.
  var readerLines: [String] {
    ["what older programs read"]
      + versions.dropFirst().map { version in
        let records = readers.filter { $0.version == version }
        guard let oldest = versions.first, records.contains(where: { $0.oldest != oldest }) else {
          return "  \(version): all records, from \(versions[0]) on"
        }
        let list = records.map { record in
          "\(record.record) from \(record.oldest) on" + (record.reason.map { " (\($0))" } ?? "")
        }
        return "  \(version): \(list.joined(separator: "; "))"
      }
  }
}
