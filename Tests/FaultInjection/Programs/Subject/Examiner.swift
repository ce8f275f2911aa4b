import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Looks at a store after an accident.
protocol Examining: Sendable {
  /// Examines the store in `directory`.
  ///
  /// - Throws: ``Examination/Finding``.
  func run(in directory: URL, _ knowledge: Examination.Knowledge) async throws -> Examination.Impression
}

/// Examines stores that are named on standard input, one after another. A store that ends this process ends
/// no test.
enum Examiner {
  /// The number of seconds after which an examination counts as hanging.
  private static let patience: UInt32 = 60

  /// Reads one line for each store: a directory, two sets of calls, 1 or 0, and a version, separated by
  /// blanks. Answers with `ok COUNT RESUMED AHEAD`, the parts of an ``Examination/Impression``, or with
  /// `found TEXT`.
  static func run(_ examination: some Examining) async {
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.count == 5, let must = CallSet(text: words[1]), let may = CallSet(text: words[2]),
        let version = Int(words[4])
      else {
        return answer("found a line that is no question")
      }
      var knowledge = Examination.Knowledge(must: must, may: may, isHistory: words[3] == "1")
      knowledge.version = version
      alarm(patience)
      do {
        let found = try await examination.run(in: URL(fileURLWithPath: String(words[0])), knowledge)
        answer("ok \(found.count) \(found.resumed) \(found.isAhead ? 1 : 0)")
      } catch {
        answer("found \(error)")
      }
      alarm(0)
    }
  }

  private static func answer(_ text: String) {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }
}
