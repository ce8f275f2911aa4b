import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Examines one store after another as they are named on standard input, so that a store which ends the process ends no test.
enum Examiner {
  /// How many seconds an examination may take before it counts as hanging.
  private static let patience: UInt32 = 60

  /// Reads lines of a directory, two sets of calls and 1 or 0, between blanks; answers `ok COUNT POSITION`, the position being where an unfinished pass went on, or `found TEXT` to each.
  static func run(_ examination: Examination) async {
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.count == 4, let must = CallSet(text: words[1]), let may = CallSet(text: words[2]) else {
        return answer("found a line that is no question")
      }
      let knowledge = Examination.Knowledge(must: must, may: may, isHistory: words[3] == "1")
      alarm(patience)
      do {
        let found = try await examination.run(in: URL(fileURLWithPath: String(words[0])), knowledge)
        answer("ok \(found.count) \(found.resumed)")
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
