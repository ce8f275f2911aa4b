internal import AnnalsCoding

extension RecordShape {
  /// Returns the fields in which two payloads of this shape differ, by number and name on disk; all fields if
  /// one is no such payload.
  package func fieldsDiffering(_ first: Span<UInt8>, _ second: Span<UInt8>) -> [(number: Int, name: String)] {
    let all = fields.enumerated().map { (number: $0.offset, name: $0.element.name) }
    do throws(CodingFailure) {
      var start = try first.end(ofHead: fields.count, at: 0)
      var other = try second.end(ofHead: fields.count, at: 0)
      var differing: [(number: Int, name: String)] = []
      for field in all {
        let (end, otherEnd) = (
          try first.end(ofItems: 1, from: start), try second.end(ofItems: 1, from: other)
        )
        if !first.extracting(start..<end).isEqual(to: second.extracting(other..<otherEnd)) {
          differing.append(field)
        }
        (start, other) = (end, otherEnd)
      }
      return differing
    } catch {
      return all
    }
  }
}
