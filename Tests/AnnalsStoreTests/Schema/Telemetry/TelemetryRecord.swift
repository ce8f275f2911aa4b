@testable import Annals

/// A record with a map of attributes, whose names changed in each version; the old Swift types are gone.
protocol TelemetryRecord: TreeRecord {
  /// The sections of a version's renames that concern the record, in the order in which they apply.
  static var sections: [String] { get }
}

extension TelemetryRecord {
  /// The record with its attributes as `version` names them.
  func renamed(in version: SchemaVersion) -> Self {
    var tree = tree
    guard case .map(var attributes)? = tree["attributes"] else { return self }
    for renames in TelemetryRenames.of(version, in: Self.sections) {
      for index in attributes.indices {
        guard case .text(let name) = attributes[index].key, let new = renames[ExactText(name)] else {
          continue
        }
        attributes[index].key = .text(new)
      }
    }
    tree["attributes"] = .map(attributes)
    return Self(tree: tree)
  }
}

extension Telemetry1_4_0.ResourceSeen {
  static var sections: [String] { ["all", "resources"] }
}

extension Telemetry1_4_0.SpanEnded {
  static var sections: [String] { ["all", "spans"] }
}

extension Telemetry1_4_0.LogWritten {
  static var sections: [String] { ["all"] }
}

/// The renames of every version, read where the material lies.
enum TelemetryRenames {
  static let file = "otel-schema/1.44.0.json"

  /// The renames of `version` in these sections, one after the other.
  static func of(_ version: SchemaVersion, in sections: [String]) -> [[ExactText: String]] {
    sections.flatMap { versions[version]?[$0] ?? [] }
  }

  /// By version and section; empty where the material is absent, as no test reads it then.
  private static let versions: [SchemaVersion: [String: [[ExactText: String]]]] = {
    do {
      let bytes = try SharedData.bytes(file)
      let root = try JSONReader.value(of: bytes.span)
      var versions: [SchemaVersion: [String: [[ExactText: String]]]] = [:]
      for version in root["versions"]?.pairs ?? [] {
        guard let number = version.key.text.flatMap({ SchemaVersion($0) }) else { continue }
        for section in version.value.pairs ?? [] {
          let changes = section.value["changes"]?.array ?? []
          versions[number, default: [:]][section.key.text ?? ""] = changes.compactMap { change in
            change["rename_attributes"]?["attribute_map"]?.pairs.map(table)
          }
        }
      }
      return versions
    } catch {
      return [:]
    }
  }()

  private static func table(_ pairs: [CBOR.Pair]) -> [ExactText: String] {
    var table: [ExactText: String] = [:]
    for pair in pairs {
      if let old = pair.key.text, let new = pair.value.text { table[ExactText(old)] = new }
    }
    return table
  }
}
