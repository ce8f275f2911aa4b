extension JSONReader {
  /// Returns the column of the value of a member of the object in `bytes`, or of an element of that value.
  ///
  /// - Parameters:
  ///   - bytes: A line that ``value(of:number:depthLimit:)`` reads as an object.
  ///   - key: The name of the member.
  ///   - element: The number of the element of the array, from 0; `nil` for the value itself.
  ///   - depthLimit: The limit with which the line was read.
  /// - Returns: The offset in the line, in bytes counted from 1; `nil` if there is no such place.
  /// - Complexity: O(n). It is for messages alone.
  package static func column(
    ofMember key: String, element: Int? = nil, in bytes: Span<UInt8>, depthLimit: Int = CBOR.depthLimit
  ) -> Int? {
    var reader = JSONReader(bytes, line: 1, depthLimit: depthLimit)
    do throws(JSONFailure) { return try reader.column(ofMember: key, element: element) } catch { return nil }
  }

  private mutating func column(ofMember key: String, element: Int?) throws(JSONFailure) -> Int? {
    skipSpace()
    guard takes("{") else { return nil }
    repeat {
      skipSpace()
      guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return nil }
      let isWanted = try text().utf8.elementsEqual(key.utf8)
      skipSpace()
      guard takes(":") else { return nil }
      skipSpace()
      if isWanted {
        return try element.map { (number) throws(JSONFailure) in try column(of: number) } ?? offset + 1
      }
      _ = try value(depth: 1)
      skipSpace()
    } while takes(",")
    return nil
  }

  /// The column of an element of the array that comes next.
  private mutating func column(of element: Int) throws(JSONFailure) -> Int {
    guard takes("[") else { return offset + 1 }
    for _ in 0..<element {
      _ = try value(depth: 2)
      skipSpace()
      guard takes(",") else { break }
    }
    skipSpace()
    return offset + 1
  }
}
