import Annals

/// The text of a file of stored payloads.
///
/// The first line says what it is. Then, for each record, come a line `record` with its name on disk, a line `shape` with the text of its shape or `by name`, and a
/// line for each sample: its bytes in hexadecimal digits.
enum StoredFixture {
  private static func title(_ version: SchemaVersion) -> String {
    "annals fixtures 1: payloads of schema version \(version) as they were stored; never to be changed"
  }

  /// The text of the samples of one version.
  static func text(of samples: [Sample], version: SchemaVersion) -> String {
    var lines = [title(version)]
    for sample in samples {
      if sample.number == 0 {
        lines.append("record \(sample.form.type.asOneLine)")
        lines.append("shape \(sample.form.shape?.text ?? "by name")")
      }
      lines.append(sample.form.payload.hex)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The samples that a text holds.
  ///
  /// - Throws: ``FixtureFailure`` for the first line that is not what it must be.
  static func samples(
    in text: String, version: SchemaVersion, file: String
  ) throws(FixtureFailure) -> [Sample] {
    // By bytes: to Swift, a carriage return and a newline are one character.
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    func failure(_ line: Int, _ reason: String) -> FixtureFailure {
      FixtureFailure([.malformed(file: file, line: line + 1, reason: reason)])
    }
    guard lines.first == title(version) else {
      throw failure(0, "the first line is '\(title(version))'")
    }
    guard lines.last == "" else { throw failure(lines.count - 1, "the last line does not end") }
    lines.removeLast()
    var samples: [Sample] = []
    var record: String?
    var shape: (text: String?, Void)?
    var number = 0
    for (index, line) in lines.enumerated().dropFirst() {
      if line.hasPrefix("record ") {
        guard let name = String(oneLine: line.dropFirst(7)) else {
          throw failure(index, "no name of a record")
        }
        (record, shape, number) = (name, nil, 0)
      } else if line.hasPrefix("shape ") {
        shape = (line == "shape by name" ? nil : String(line.dropFirst(6)), ())
      } else {
        guard let record, let shape, let payload = [UInt8](hex: line) else {
          throw failure(index, "a line 'record', then a line 'shape', then payloads in hexadecimal digits")
        }
        do throws(AnnalsError) {
          samples.append(
            Sample(
              number: number,
              form: try StoredForm(type: record, version: version, shape: shape.text, payload: payload)))
        } catch {
          throw failure(index, error.message)
        }
        number += 1
      }
    }
    return samples
  }
}

extension String {
  /// The text with its line ends and backslashes written out.
  var asOneLine: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\\": text += "\\\\"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text that ``asOneLine`` writes as `line`; `nil` where a backslash stands before something else.
  init?(oneLine line: Substring) {
    var text = ""
    var isEscaped = false
    for scalar in line.unicodeScalars {
      switch (isEscaped, scalar) {
      case (true, "n"): text += "\n"
      case (true, "r"): text += "\r"
      case (true, "\\"): text += "\\"
      case (true, _): return nil
      case (false, "\\"): break
      case (false, _): text.unicodeScalars.append(scalar)
      }
      isEscaped = !isEscaped && scalar == "\\"
    }
    if isEscaped { return nil }
    self = text
  }
}

extension [UInt8] {
  /// The bytes of pairs of hexadecimal digits, in lower case; `nil` for anything else.
  init?(hex: String) {
    let digits = hex.utf8.map { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
    self = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      append(high << 4 | low)
    }
  }
}
