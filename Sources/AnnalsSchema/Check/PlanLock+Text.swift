internal import AnnalsCoding
internal import AnnalsShapes

extension PlanLock {
  /// The text of the file: one fact per line, sorted, so that a diff of two files shows the changes.
  ///
  /// ```
  /// annals plan lock 2
  /// version 2.0.0
  ///   record BodyWeighed
  ///     formerly Weighed
  ///     reserved pounds
  ///     form (kilograms(weight): float, note: text?)
  ///     fingerprint 64 hexadecimal digits
  ///     unknown unit.other
  ///     samples 2 64 hexadecimal digits
  ///   stage from 1.0.0
  ///     takes BodyWeighed
  ///       constant unit = "kg"
  ///       behaviour 2 64 hexadecimal digits
  /// ```
  ///
  /// A line `retags` after the records names a record of the newer version whose tags a pass computes again,
  /// and lines `tag` name these; the first line then says 4. A line `retained` before the constants says
  /// that a stage keeps the record as it is stored; the first line then says 3. A line `unknown` names the
  /// case for unknown ones; the first line then says 2, and otherwise 1. The form is `by name` without a
  /// fingerprint if a record has no shape; samples and behaviour are `-` if there are none. In names and
  /// constants a backslash, a line feed and a carriage return are `\\`, `\n` and `\r`.
  package var text: String {
    var text = "annals plan lock \(form)\n"
    for version in versions {
      text += "version \(version.version)\n"
      for record in version.records {
        text += "  record \(Self.escaped(record.name))\n"
        for name in record.formerNames { text += "    formerly \(Self.escaped(name))\n" }
        for name in record.reservedNames { text += "    reserved \(Self.escaped(name))\n" }
        text += "    form \(record.shape?.text ?? "by name")\n"
        if let shape = record.shape { text += "    fingerprint \(shape.fingerprint.hexadecimal)\n" }
        for path in record.unknownCases { text += "    unknown \(Self.escaped(path))\n" }
        text += "    samples \(Self.digest(record.samples))\n"
      }
      guard let stage = version.stage else { continue }
      text += "  stage from \(stage.from)\n"
      for record in stage.records {
        text += "    takes \(Self.escaped(record.name))\n"
        if record.isRetained { text += "      retained\n" }
        for constant in record.constants { text += "      constant \(Self.escaped(constant))\n" }
        text += "      behaviour \(Self.digest(record.behaviour))\n"
      }
      for record in stage.retags {
        text += "    retags \(Self.escaped(record.name))\n"
        for tag in record.tags { text += "      tag \(Self.escaped(tag))\n" }
      }
    }
    return text
  }

  private static func digest(_ digest: SampleDigest?) -> String {
    digest.map { "\($0.count) \($0.fingerprint.hexadecimal)" } ?? "-"
  }

  private static func escaped(_ name: ExactText) -> String {
    var text = ""
    for scalar in name.text.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension [UInt8] {
  /// The bytes as hexadecimal digits.
  package var hexadecimal: String {
    let digits = Array<UInt8>("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Creates the bytes from lower-case hexadecimal digits; `nil` if the text has other characters.
  package init?(hexadecimal text: Substring) {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x61...0x66: value = digit - 0x61 + 10
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    guard high == nil else { return nil }
    self = bytes
  }
}
