package import AnnalsCoding

/// The value of a row of `schemas`, whose key is the version's ordinal.
package struct SchemaRow: Equatable, Sendable {
  /// The stability of a version.
  package enum Stability: UInt8, Sendable {
    case released = 0
    case draft = 1
    case bridge = 2
  }

  /// The phase of the version's roll-out.
  package enum Phase: UInt8, Sendable {
    case present = 0
    case expanding = 1
    case active = 2
    case contracted = 3
  }

  /// The version; `nil` for ordinal 0, for events stored without a version.
  package var version: SchemaVersion?
  /// The stability of the version.
  package var stability: Stability = .released
  /// The phase of its roll-out.
  package var phase: Phase = .present
  /// The position at which a draft was released; 0 if it never was a draft, or still is.
  package var release: UInt64 = 0

  /// Whether a kind of the version was stored while that was a draft.
  package func isDraft(_ kind: KindRow) -> Bool {
    stability == .draft || kind.first.rawValue < release
  }

  /// Version, stability (one byte), phase (one byte), position of the release of a draft (varint).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(version)
    bytes += [stability.rawValue, phase.rawValue]
    bytes.append(varint: release)
    return bytes
  }

  package init(version: SchemaVersion?, stability: Stability = .released) {
    self.version = version
    self.stability = stability
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    version = try reader.schemaVersion()
    let start = reader.offset
    guard let stability = Stability(rawValue: try reader.byte()),
      let phase = Phase(rawValue: try reader.byte())
    else { throw FormatFailure(.value, at: start) }
    self.stability = stability
    self.phase = phase
    release = try reader.number()
    try reader.finish()
  }
}

extension SchemaRow.Stability {
  /// Converts the plan's declaration of the version.
  package init(_ stability: SchemaStability) {
    self =
      switch stability {
      case .released: .released
      case .draft: .draft
      case .bridge: .bridge
      }
  }
}

extension [UInt8] {
  /// Appends a version: one byte 0 for none, else 1 and three varints.
  package mutating func append(_ version: SchemaVersion?) {
    guard let version else {
      append(0)
      return
    }
    append(1)
    for number in [version.major, version.minor, version.patch] {
      append(varint: UInt64(number))
    }
  }
}

extension ByteReader {
  /// The next version, `nil` for none.
  package mutating func schemaVersion() throws(FormatFailure) -> SchemaVersion? {
    let start = offset
    switch try byte() {
    case 0: return nil
    case 1:
      return SchemaVersion(
        try varint(as: UInt32.self), try varint(as: UInt32.self), try varint(as: UInt32.self))
    default: throw FormatFailure(.value, at: start)
    }
  }
}
