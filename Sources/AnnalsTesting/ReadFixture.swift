import Annals

/// The text of a file that says what stored payloads are in a version.
///
/// For each sample there is a line with its record and number, and below it, indented, its events by the names that their fields have on disk.
enum ReadFixture {
  /// The text.
  static func text(
    of outcomes: [(sample: Sample, outcome: Outcome)], from: SchemaVersion, to: SchemaVersion
  ) -> String {
    var lines = [
      "annals fixtures 1: what payloads of schema version \(from) are in version \(to); never to be changed"
    ]
    for (sample, outcome) in outcomes {
      lines.append(sample.name.asOneLine)
      // The words of an error may change from release to release, its code may not.
      if case .refused(let code, _, _) = outcome {
        lines.append("  refused \(code)")
      } else {
        lines += outcome.lines.map { "  " + $0.asOneLine }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Where two texts differ: for each sample the first line.
  static func differences(expected: String, found: String, file: String) -> [FixtureFailure.Problem] {
    if expected.utf8.elementsEqual(found.utf8) { return [] }
    let (expected, found) = (lines(expected), lines(found))
    var problems: [FixtureFailure.Problem] = []
    for index in 0..<max(expected.count, found.count) {
      let left = index < expected.count ? expected[index] : "nothing"
      let right = index < found.count ? found[index] : "nothing"
      if left.utf8.elementsEqual(right.utf8) { continue }
      let sample = expected.prefix(index + 1).last { !$0.hasPrefix("  ") } ?? ""
      problems.append(
        .changed(
          file: file, line: index + 1, sample: sample,
          expected: left.trimmed, found: right.trimmed))
      // Where a sample has more or fewer events, every line behind it is another.
      if left.hasPrefix("  ") != right.hasPrefix("  ") || expected.count != found.count { break }
    }
    return problems
  }

  private static func lines(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// The text without the spaces that it begins with.
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
