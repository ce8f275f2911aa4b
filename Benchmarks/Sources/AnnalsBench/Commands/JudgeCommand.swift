import History

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `judge`: decides whether a history is linearizable, and shows that one made wrong is rejected.
struct JudgeCommand: Command {
  private let file: String

  init(_ words: some Sequence<String>) throws(WrongUsage) {
    let words = Array(words)
    guard words.count == 1 else { throw WrongUsage(description: "judge needs the file of a history") }
    file = words[0]
  }

  func run() throws {
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    var history: [HistoryLine] = []
    for (number, line) in text.utf8.split(separator: UInt8(ascii: "\n")).enumerated() {
      do { history.append(try HistoryLine(String(decoding: line, as: UTF8.self))) } catch {
        throw WrongWork(description: "line \(number + 1) of '\(file)' is no line of a history")
      }
    }
    if case .impossible(let key, let reason) = try Judge.verdict(on: history) {
      throw WrongWork(description: "not linearizable: stream '\(key)': \(reason)")
    }
    let streams = Set(history.map { Array($0.key.utf8) }).count
    print("linearizable: \(history.count { $0.type == .invoke }) operations on \(streams) streams")
    for control in Control.allCases { try check(control, history) }
  }

  /// A judge that lets a wrong history pass has shown nothing of the right one.
  private func check(_ control: Control, _ history: [HistoryLine]) throws {
    guard let spoiled = control.spoil(history) else {
      throw WrongWork(description: "the history is too short to be made wrong: \(control.rawValue)")
    }
    guard case .impossible(let key, let reason) = try Judge.verdict(on: spoiled) else {
      throw WrongWork(description: "the judge is blind: it does not see that \(control.rawValue)")
    }
    print("made wrong on purpose (\(control.rawValue)): rejected: stream '\(key)': \(reason)")
  }
}
