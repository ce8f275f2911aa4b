#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// New bytes, then items of a payload that are left out, then items that are kept.
package struct Splice: BitwiseCopyable, Sendable {
  /// Where in the pool the new bytes begin.
  package let start: Int32
  /// How many new bytes there are.
  package let count: Int32
  /// How many items are left out.
  package var skipped: Int32 = 0
  /// How many items are kept; −1 for all that is left.
  package var kept: Int32 = 0

  package init(start: Int32, count: Int32, skipped: Int32 = 0, kept: Int32 = 0) {
    self.start = start
    self.count = count
    self.skipped = skipped
    self.kept = kept
  }
}

extension [UInt8] {
  /// Appends what `splices` make of the items of `bytes` from `offset` on; after a failure the array is as before.
  ///
  /// The room is made once, for all of it: growing at each piece would take longer than the copying.
  ///
  /// - Parameter added: How many new bytes there are in all.
  package mutating func append(
    _ splices: Span<Splice>, of bytes: Span<UInt8>, from offset: Int, pool: Span<UInt8>, added: Int
  ) throws(CodingFailure) {
    // No byte is taken twice, so that this is the most that can be appended.
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
  /// Writes to `target`, which has room for all of `bytes` and all new bytes, and returns how many bytes were written.
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
