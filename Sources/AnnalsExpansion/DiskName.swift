import SwiftSyntax

/// A name on disk. Names are equal if their UTF-8 bytes are; Swift strings compare differently.
struct DiskName: Hashable {
  let text: String

  static func == (left: DiskName, right: DiskName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }

  /// The maximum length of a name in bytes.
  static let limit = 500

  /// The mistake in the name; `nil` if there is none.
  var problem: String? {
    if text.isEmpty { return "a name on disk cannot be empty" }
    if text.utf8.contains(0) { return "a name on disk cannot hold NUL" }
    if text.utf8.count > Self.limit {
      return "a name on disk has at most \(Self.limit) bytes of UTF-8, and this one has \(text.utf8.count)"
    }
    return nil
  }

  /// The name as a Swift literal.
  var literal: String {
    var written = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": written += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control || scalar.properties.isGraphemeExtend:
        written += "\\u{\(String(scalar.value, radix: 16))}"
      default: written.unicodeScalars.append(scalar)
      }
    }
    return written + "\""
  }
}

extension [DiskName] {
  /// The names as a Swift literal.
  var literal: String { "[\(map(\.literal).joined(separator: ", "))]" }
}
