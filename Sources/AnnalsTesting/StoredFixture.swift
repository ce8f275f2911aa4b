import Annals

/// The text of a file of stored payloads.
///
/// The first line describes the file. A line `record` has the name of a record on disk, and the next line
/// `shape` has the text of its shape, or `by name`. Each line after them is a payload of the record in
/// hexadecimal digits.
///
/// A file of logs has a line `log` where each log begins, and before each payload a line `stream` with the
/// name of its stream.
enum StoredFixture {
  private static func title(_ content: FixtureName.Content, _ version: SchemaVersion) -> String {
    "annals fixtures 1: \(content.words) of schema version \(version) as they were stored; never to be changed"
  }

  /// Makes the text of the payloads of one version, by log.
  static func text(
    of logs: [[Sample]], _ content: FixtureName.Content, version: SchemaVersion
  ) -> String {
    var lines = [title(content, version)]
    for samples in logs {
      if content == .logs { lines.append("log") }
      for sample in samples {
        if let stream = sample.stream { lines.append("stream \(stream.text.asOneLine)") }
        if content == .logs || sample.number == 0 {
          lines.append("record \(sample.form.type.asOneLine)")
          lines.append("shape \(sample.form.shape?.text ?? "by name")")
        }
        lines.append(sample.form.payload.hex)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Parses the payloads of a text, by log.
  ///
  /// - Throws: ``FixtureFailure`` for the first malformed line.
  static func samples(
    in text: String, _ content: FixtureName.Content, version: SchemaVersion, file: String
  ) throws(FixtureFailure) -> [[Sample]] {
    // By bytes: Swift treats a carriage return followed by a newline as one character.
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    func failure(_ line: Int, _ reason: String) -> FixtureFailure {
      FixtureFailure([.malformed(file: file, line: line + 1, reason: reason)])
    }
    guard lines.first == title(content, version) else {
      throw failure(0, "the first line is '\(title(content, version))'")
    }
    guard lines.last == "" else { throw failure(lines.count - 1, "the last line does not end") }
    lines.removeLast()
    var logs: [[Sample]] = content == .logs ? [] : [[]]
    var (record, stream): (String?, String?)
    var shape: (text: String?, Void)?
    var number = 0
    for (index, line) in lines.enumerated().dropFirst() {
      if content == .logs, line == "log" {
        logs.append([])
        (record, stream, shape, number) = (nil, nil, nil, 0)
      } else if content == .logs, line.hasPrefix("stream ") {
        stream = String(oneLine: line.dropFirst(7))
        if stream == nil { throw failure(index, "no name of a stream") }
      } else if line.hasPrefix("record ") {
        guard let name = String(oneLine: line.dropFirst(7)) else {
          throw failure(index, "no name of a record")
        }
        (record, shape) = (name, nil)
        if content == .samples { number = 0 }
      } else if line.hasPrefix("shape ") {
        shape = (line == "shape by name" ? nil : String(line.dropFirst(6)), ())
      } else {
        guard let record, let shape, let payload = [UInt8](hex: line),
          !logs.isEmpty && (content == .samples || stream != nil)
        else {
          throw failure(
            index,
            content == .samples
              ? "a line 'record', then a line 'shape', then payloads in hexadecimal digits"
              : "a line 'log', then lines 'stream', 'record' and 'shape', then a payload in hexadecimal digits"
          )
        }
        do throws(AnnalsError) {
          logs[logs.count - 1].append(
            Sample(
              number: number,
              form: try StoredForm(type: record, version: version, shape: shape.text, payload: payload),
              stream: stream.map { StreamName($0) }))
        } catch {
          throw failure(index, error.message)
        }
        number += 1
      }
    }
    return logs
  }
}

extension FixtureName.Content {
  /// The name of the payloads in the first line of a file.
  var words: String {
    switch self {
    case .samples: "payloads"
    case .logs: "logs"
    }
  }
}

extension String {
  /// The text with line ends and backslashes escaped.
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

  /// Parses a line written by ``asOneLine``; `nil` for an unknown escape.
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
  /// Parses pairs of lower-case hexadecimal digits; `nil` for anything else.
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
