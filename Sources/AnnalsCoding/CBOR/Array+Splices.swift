#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// New bytes, followed by removed items of a payload, followed by kept items.
package struct Splice: BitwiseCopyable, Sendable {
  /// The offset in the pool of the new bytes.
  package let start: Int32
  /// The number of new bytes.
  package let count: Int32
  /// The number of removed items.
  package var skipped: Int32 = 0
  /// The number of kept items; −1 for all remaining ones.
  package var kept: Int32 = 0

  package init(start: Int32, count: Int32, skipped: Int32 = 0, kept: Int32 = 0) {
    self.start = start
    self.count = count
    self.skipped = skipped
    self.kept = kept
  }
}

extension [UInt8] {
  /// Appends the result of `splices` for the items of `bytes` from `offset` on; after a failure the array is
  /// unchanged.
  ///
  /// Capacity is reserved once for all of it: growing at each piece would take longer than the copying.
  ///
  /// - Parameter added: The total number of new bytes.
  package mutating func append(
    _ splices: Span<Splice>, of bytes: Span<UInt8>, from offset: Int, pool: Span<UInt8>, added: Int
  ) throws(CodingFailure) {
    // No byte is used twice, so this is the most that can be appended.
    let room = added &+ bytes.count &- offset
    try append(addingCapacity: room) { (output: inout OutputSpan<UInt8>) throws(CodingFailure) in
      try unsafe output.withUnsafeMutableBufferPointer { output, initialized throws(CodingFailure) in
        guard let target = output.baseAddress else { return }
        let written = try unsafe Splice.fill(target, splices, of: bytes, from: offset, pool: pool)
        initialized = written
      }
    }
  }
}

extension Splice {
  /// Calls `body` with the result of `splices` for the items of `bytes` from `offset` on. The result exists
  /// during the call only, on the stack if it is small.
  ///
  /// - Parameter added: The total number of new bytes.
  package static func lend(
    _ splices: Span<Splice>, of bytes: Span<UInt8>, from offset: Int, pool: Span<UInt8>, added: Int,
    _ body: (Span<UInt8>) -> Void
  ) throws(CodingFailure) {
    var failure: CodingFailure?
    // No byte is used twice, so this is the most that can be written.
    let room = added &+ bytes.count &- offset
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(room, 1)) { room in
      guard let target = room.baseAddress else { return }
      do throws(CodingFailure) {
        let written = try unsafe fill(target, splices, of: bytes, from: offset, pool: pool)
        unsafe body(Span(_unsafeStart: target, count: written))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Writes to `target`, which has space for all of `bytes` and all new bytes, and returns the number of
  /// bytes written.
  @inline(__always)
  fileprivate static func fill(
    _ target: UnsafeMutablePointer<UInt8>, _ splices: Span<Splice>, of bytes: Span<UInt8>, from start: Int,
    pool: Span<UInt8>
  ) throws(CodingFailure) -> Int {
    var offset = start
    var written = 0
    for index in splices.indices {
      let splice = splices[index]
      let first = Int(splice.start)
      for index in first..<(first &+ Int(splice.count)) {
        unsafe target[written] = pool[index]
        written &+= 1
      }
      if splice.skipped > 0 { offset = try bytes.end(ofItems: Int(splice.skipped), from: offset) }
      guard splice.kept != 0 else { continue }
      let end = splice.kept < 0 ? bytes.count : try bytes.end(ofItems: Int(splice.kept), from: offset)
      let kept = bytes.extracting(offset..<end)
      unsafe kept.withUnsafeBytes { kept in
        if let source = kept.baseAddress { unsafe memcpy(target + written, source, kept.count) }
      }
      written &+= end &- offset
      offset = end
    }
    return written
  }
}
