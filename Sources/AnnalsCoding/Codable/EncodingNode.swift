/// A value during encoding: empty, one item, or an array or a map, some of whose parts may still be open.
///
/// `Codable` may fill nested containers in any order, so incomplete parts are separate nodes until the whole
/// value is written.
final class EncodingNode {
  private enum Form {
    case empty, single, array, map
  }
  private struct Part {
    let start: Int
    let keyEnd: Int
    let end: Int
    let open: EncodingNode?
  }
  private var form = Form.empty
  private var parts: [Part] = []
  private var bytes: [UInt8] = []
  /// The first failure of a call that cannot throw.
  private var failure: CodingFailure?
  /// The path of the value.
  let path: CodingPath?
  /// The number of containers around it.
  let depth: Int

  /// Creates an empty value at `path`.
  init(path: CodingPath?, depth: Int) {
    self.path = path
    self.depth = depth
  }

  /// The number of elements or pairs so far.
  var count: Int { parts.count }

  /// Returns the path of an element or value.
  func path(_ step: CodingPath.Step) -> CodingPath {
    CodingPath(step, in: path)
  }

  /// Makes the value an array.
  func beginArray() {
    begin(.array)
  }

  /// Makes the value a map.
  func beginMap() {
    begin(.map)
  }

  private func begin(_ form: Form) {
    if self.form == .empty {
      self.form = form
      // The usual record fits, and one reservation is cheaper than growing from nothing.
      bytes.reserveCapacity(128)
      parts.reserveCapacity(8)
      if depth >= CBOR.typedDepthLimit {
        fail(.tooDeep)
      }
    } else if self.form != form {
      fail(.refused, detail: "two kinds of containers for one value")
    }
  }

  private func fail(_ reason: CodingFailure.Reason, detail: String? = nil) {
    failure = failure ?? CodingFailure(reason, at: bytes.count, path: CodingPath.keys(path), detail: detail)
  }

  /// Writes the value as one item.
  func single(_ write: (inout [UInt8]) throws(CodingFailure) -> Void) throws(CodingFailure) {
    guard form == .empty else {
      throw CodingFailure(
        .refused, at: bytes.count, path: CodingPath.keys(path), detail: "two values for one")
    }
    form = .single
    try write(&bytes)
  }

  /// Writes the pair of `key` and the value that `write` appends.
  func pair(
    _ key: String, _ write: (inout [UInt8]) throws(CodingFailure) -> Void
  ) throws(CodingFailure) {
    let start = bytes.count
    bytes.appendText(key)
    let keyEnd = bytes.count
    try write(&bytes)
    parts.append(Part(start: start, keyEnd: keyEnd, end: bytes.count, open: nil))
  }

  /// Writes the next element, which `write` appends.
  func element(_ write: (inout [UInt8]) throws(CodingFailure) -> Void) throws(CodingFailure) {
    let start = bytes.count
    try write(&bytes)
    parts.append(Part(start: start, keyEnd: start, end: bytes.count, open: nil))
  }

  /// Adds a pair whose value is written later.
  func openPair(_ key: String) -> EncodingNode {
    let start = bytes.count
    bytes.appendText(key)
    return open(Part(start: start, keyEnd: bytes.count, end: bytes.count, open: node(.key(key))))
  }

  /// Adds an element that is written later.
  func openElement() -> EncodingNode {
    open(Part(start: bytes.count, keyEnd: bytes.count, end: bytes.count, open: node(.index(count))))
  }

  private func node(_ step: CodingPath.Step) -> EncodingNode {
    EncodingNode(path: path(step), depth: depth + 1)
  }

  private func open(_ part: Part) -> EncodingNode {
    parts.append(part)
    return part.open ?? self
  }

  /// Appends the whole value to `output`.
  func write(into output: inout [UInt8]) throws(CodingFailure) {
    if let failure {
      throw failure
    }
    switch form {
    case .empty:
      throw CodingFailure(.refused, at: output.count, path: CodingPath.keys(path), detail: "nothing written")
    case .single:
      output.append(contentsOf: bytes)
    case .array:
      output.appendHead(.array, UInt64(parts.count))
      for part in parts {
        try write(part, into: &output)
      }
    case .map:
      output.appendHead(.map, UInt64(parts.count))
      try sortParts()
      for part in parts {
        try write(part, into: &output)
      }
    }
  }

  private func write(_ part: Part, into output: inout [UInt8]) throws(CodingFailure) {
    output.append(contentsOf: bytes[part.start..<part.end])
    try part.open?.write(into: &output)
  }

  /// Sorts the pairs by their encoded keys.
  private func sortParts() throws(CodingFailure) {
    parts.sort { order($0, $1) < 0 }
    for (left, right) in zip(parts, parts.dropFirst()) where order(left, right) == 0 {
      throw CodingFailure(.duplicateKey, at: right.start, path: CodingPath.keys(path))
    }
  }

  private func order(_ left: Part, _ right: Part) -> Int {
    let bytes = bytes
    return bytes.span.order(of: left.start..<left.keyEnd, against: right.start..<right.keyEnd)
  }
}
