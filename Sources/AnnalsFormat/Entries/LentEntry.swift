public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A stored entry, borrowed from its snapshot without copying.
public struct LentEntry: ~Escapable {
  // First, so that a copy of the entry moves the same 16 bytes at a time as a copy of the header: the
  // processor waits where the bytes of two recent writes are read together.
  @usableFromInline package let header: EntryHeader
  /// The place in the log.
  public let position: Position
  @usableFromInline package let bytes: Span<UInt8>

  @inlinable
  @_lifetime(copy bytes)
  package init(position: Position, header: EntryHeader, bytes: Span<UInt8>) {
    self.position = position
    self.header = header
    self.bytes = bytes
  }

  /// The place in the stream.
  @inlinable public var revision: Revision { header.revision }
  /// The position of the stream's first entry, which identifies the stream. ``LogScan/stream(of:)`` returns
  /// the name.
  @inlinable public var stream: Position { header.stream }
  /// The time of the event.
  @inlinable public var time: Timestamp { Timestamp(microseconds: header.time) }
  /// The payload, a CBOR map; `nil` if a split has left parts or a drop has left a stub.
  @inlinable public var payload: Span<UInt8>? {
    @_lifetime(copy self)
    @inline(__always)
    get { header.flags.isDisjoint(with: .otherBodies) ? bytes.extracting(header.body) : nil }
  }
  /// The id that the caller gave the event, if any.
  @inlinable public var id: UUID? {
    header.flags.contains(.id) ? storedID : nil
  }
  /// The number of the record type and version, for the kinds of a store.
  @inlinable package var kind: UInt32 { header.kind }

  @usableFromInline var storedID: UUID { UUID(bytes, at: header.id.lowerBound) }
}

extension LentEntry {
  /// Runs what reads a part of the entry's layout.
  package func layout<Value>(_ read: () throws(FormatFailure) -> Value) throws(AnnalsError) -> Value {
    do throws(FormatFailure) { return try read() } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }

  /// Whether a pass has set the entry aside.
  package var isQuarantined: Bool {
    get throws(AnnalsError) {
      if !header.flags.contains(.extensions) { return false }
      return try layout { () throws(FormatFailure) in try header.isQuarantined(bytes) }
    }
  }

  /// Whether the entry is one payload, and no pass has set it aside. It may have extensions.
  package var isPlain: Bool {
    get throws(AnnalsError) {
      if header.flags.isDisjoint(with: .special) { return true }
      guard header.flags.isDisjoint(with: .otherBodies) else { return false }
      return try !isQuarantined
    }
  }

  /// The bytes of the body.
  package var body: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(header.body) }
  }

  /// Lends each part of an entry that has parts: its kind, its path and its payload.
  package func eachPart(
    _ body: (UInt32, [UInt32], Span<UInt8>) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    var reader = ByteReader(bytes, from: header.body.lowerBound)
    let count = try layout { () throws(FormatFailure) in try reader.varint() }
    for _ in 0..<count {
      var path: [UInt32] = []
      let (kind, payload) = try layout { () throws(FormatFailure) in
        let kind = try reader.varint(as: UInt32.self)
        for _ in 0..<(try reader.varint()) { path.append(try reader.varint(as: UInt32.self)) }
        return (kind, try reader.countedRange())
      }
      try body(kind, path, bytes.extracting(payload))
    }
    try layout { () throws(FormatFailure) in try reader.finish() }
  }
}
