#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID {
  /// The 16 bytes in the order of the text form.
  package var bytes: [UInt8] {
    let id = uuid
    return [
      id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7, id.8, id.9, id.10, id.11, id.12, id.13, id.14, id.15,
    ]
  }

  /// Creates the UUID of these bytes; `nil` if there are not exactly 16.
  package init?(bytes id: [UInt8]) {
    guard id.count == 16 else { return nil }
    self.init(
      uuid: (
        id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13],
        id[14], id[15]
      ))
  }

  /// Calls `body` with the 16 bytes.
  @inlinable @inline(__always)
  package func withBytes(_ body: (Span<UInt8>) -> Void) {
    unsafe withUnsafeBytes(of: uuid) { bytes in
      unsafe body(bytes.bindMemory(to: UInt8.self).span)
    }
  }
}
