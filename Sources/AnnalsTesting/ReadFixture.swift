import Annals

/// The text of a file with the events of stored payloads in a version.
///
/// Each sample has a line with its record and number. Its events follow on indented lines, with the names of
/// fields on disk. In the file of a version's logs, the line begins with the number of the log.
enum ReadFixture {
  /// Makes the text.
  static func text(
    of logs: [[(sample: Sample, outcome: Outcome)]], _ content: FixtureName.Content, from: SchemaVersion,
    to: SchemaVersion
  ) -> String {
    var lines = [
      "annals fixtures 1: what \(content.words) of schema version \(from) are in version \(to); never to be changed"
    ]
    for (number, outcomes) in logs.enumerated() {
      let start = content == .logs ? "log \(number) " : ""
      for (sample, outcome) in outcomes {
        lines.append(start + sample.name.asOneLine)
        // The message of an error may change from release to release, but not its code.
        if case .refused(let code, _, _) = outcome {
          lines.append("  refused \(code)")
        } else {
          lines += outcome.lines.map { "  " + $0.asOneLine }
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the differences between two texts: the first differing line of each sample.
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
      // If a sample has more or fewer events, every later line differs.
      if left.hasPrefix("  ") != right.hasPrefix("  ") || expected.count != found.count { break }
    }
    return problems
  }

  private static func lines(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// The text without its leading spaces.
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
