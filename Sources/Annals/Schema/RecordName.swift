/// The name of a record type on disk, compared by its UTF-8 bytes.
struct RecordName: Sendable {
  /// The largest number of bytes that a name may have.
  static let limit = 500

  /// The name as text.
  let text: String

  /// The record name with this text, which need not be valid.
  init(_ text: String) {
    self.text = text
  }

  /// What makes the name unfit to be stored, in words; `nil` where it is fit.
  var fault: String? {
    let bytes = text.utf8
    if bytes.isEmpty { return "it is empty" }
    if bytes.contains(0) { return "it holds NUL" }
    if bytes.count > Self.limit { return "it has \(bytes.count) bytes, and \(Self.limit) are allowed" }
    return nil
  }
}

extension RecordName: Hashable {
  static func == (left: RecordName, right: RecordName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(text.utf8.count)
  }
}

extension RecordName: CustomStringConvertible {
  var description: String { text }
}
