package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The value of the row `passArchive` of `meta`, which two generations have while a pass with an archive
/// copies one into the other, and the new one afterwards.
package struct PassArchiveRow: Equatable, Sendable {
  /// The name of the row.
  package static let name = "passArchive"

  /// The pass.
  var id: UUID
  /// The final path of the archive, from the root on.
  var path: [UInt8]
  /// In the new generation, the number of bytes of the archive for the copied entries; 0 in the copied one.
  var length: UInt64 = 0
  /// Whether the archive is whole and may have its name by now.
  var isWhole = false

  /// Id, path (counted), length (varint), a byte that says whether the archive is whole.
  func encoded() -> [UInt8] {
    var bytes = id.bytes
    bytes.append(counted: path)
    bytes.append(varint: length)
    bytes.append(isWhole ? 1 : 0)
    return bytes
  }

  init(id: UUID, path: [UInt8]) {
    self.id = id
    self.path = path
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    id = try reader.uuid()
    path = reader.copy(try reader.countedRange())
    length = try reader.number()
    let start = reader.offset
    switch try reader.byte() {
    case 0: isWhole = false
    case 1: isWhole = true
    default: throw FormatFailure(.value, at: start)
    }
    try reader.finish()
  }
}
