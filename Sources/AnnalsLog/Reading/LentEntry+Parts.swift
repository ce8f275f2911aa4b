package import AnnalsCoding
internal import AnnalsFormat

extension LentEntry {
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
