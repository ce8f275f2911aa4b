package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The value of the row `pass` of `meta`, which two generations have while a pass copies one into the other.
package struct PassRow: Equatable, Sendable {
  /// The name of the row.
  package static let name = "pass"

  /// The pass. A file is a leftover of the pass only if it has this id, and the generation in use names it
  /// with the same id.
  package var id: UUID
  /// The other generation: in the copied one the number of the new one, and the other way round.
  package var other: UInt64
  /// The fingerprint of the pass's plan, 32 bytes; zeros without a plan.
  var plan: [UInt8]
  /// The version that the plan ends at; `nil` without a plan.
  package var version: SchemaVersion?
  /// In the new generation the position up to which entries are copied; 0 in the copied one.
  var position: UInt64 = 0

  /// Id, other generation (varint), plan (32 bytes), version, position (varint).
  func encoded() -> [UInt8] {
    var bytes = id.bytes
    bytes.append(varint: other)
    bytes += plan
    bytes.append(version)
    bytes.append(varint: position)
    return bytes
  }

  init(id: UUID, other: UInt64, plan: [UInt8], version: SchemaVersion?, position: UInt64 = 0) {
    self.id = id
    self.other = other
    self.plan = plan
    self.version = version
    self.position = position
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    id = try reader.uuid()
    let start = reader.offset
    other = try reader.varint()
    guard (1...CurrentFile.maximumGeneration).contains(other) else { throw FormatFailure(.value, at: start) }
    let plan = try reader.range(count: 32)
    self.plan = reader.copy(plan)
    version = try reader.schemaVersion()
    position = try reader.number()
    try reader.finish()
  }
}
