/// One operation of a history, from its first line to its last.
struct Operation: Sendable {
  /// What it was given, and what came of it.
  enum Outcome: Hashable, Sendable {
    /// A read found this length.
    case read(Int)
    /// An append of `count` entries, expecting `expect`, ended at this length.
    case appended(count: Int, expect: Int?, next: Int)
    /// An append that expected `expect` was refused, as the stream had this length.
    case refused(expect: Int?, actual: Int)
    /// An append of `count` entries, expecting `expect`, that may have been done.
    case unknown(count: Int, expect: Int?)
  }

  let key: String
  let outcome: Outcome
  /// The number of the line with which it began, from 0.
  let begun: Int
  /// The number of the line with which it ended; `Int.max` where nobody knows its end.
  let ended: Int
}

/// A history that contradicts itself before anything is judged.
public struct MalformedHistory: Error, CustomStringConvertible {
  /// The line, counted from 1.
  public let line: Int
  /// What is wrong with it.
  public let problem: String

  /// Line and problem.
  public var description: String { "line \(line): \(problem)" }
}

extension Operation {
  /// The operations of a history in the order of their ends; those without an end come last.
  ///
  /// Reads without a known end are left out, because they change nothing and prove nothing.
  static func all(in history: [HistoryLine]) throws(MalformedHistory) -> [Operation] {
    var pending: [Int: (line: HistoryLine, number: Int)] = [:]
    var dead: Set<Int> = []
    var operations: [Operation] = []
    for (number, line) in history.enumerated() {
      func malformed(_ problem: String) -> MalformedHistory {
        MalformedHistory(line: number + 1, problem: problem)
      }
      guard !dead.contains(line.process) else {
        throw malformed("process \(line.process) does something after an operation whose end is unknown")
      }
      guard line.value.isPossible else {
        throw malformed("an append has at least one entry, and no length is negative")
      }
      guard line.type != .invoke else {
        guard pending.updateValue((line, number), forKey: line.process) == nil else {
          throw malformed("process \(line.process) begins an operation before the last has ended")
        }
        continue
      }
      guard let (begin, begun) = pending.removeValue(forKey: line.process), begin.key == line.key,
        begin.function == line.function
      else { throw malformed("process \(line.process) ends an operation that it did not begin") }
      if line.type == .info { dead.insert(line.process) }
      guard let outcome = try Outcome(begin.value, line.value, malformed) else { continue }
      let ended = line.type == .info ? Int.max : number
      operations.append(Operation(key: line.key, outcome: outcome, begun: begun, ended: ended))
    }
    for (begin, begun) in pending.values.sorted(by: { $0.number < $1.number }) {
      guard case .asked(let count, let expect) = begin.value else { continue }
      operations.append(
        Operation(
          key: begin.key, outcome: .unknown(count: count, expect: expect), begun: begun, ended: .max))
    }
    return operations
  }
}

extension Operation.Outcome {
  /// What two lines say together; `nil` for a read whose end is unknown.
  fileprivate init?(
    _ asked: HistoryLine.Value, _ given: HistoryLine.Value, _ malformed: (String) -> MalformedHistory
  ) throws(MalformedHistory) {
    switch (asked, given) {
    case (.nothing, .nothing): return nil
    case (.nothing, .length(let length)): self = .read(length)
    case (.asked(let count, let expect), .next(let next)):
      self = .appended(count: count, expect: expect, next: next)
    case (.asked(_, let expect), .actual(let actual)): self = .refused(expect: expect, actual: actual)
    case (.asked(let count, let expect), .asked) where asked == given:
      self = .unknown(count: count, expect: expect)
    default: throw malformed("the operation was begun as another")
    }
  }
}

extension HistoryLine.Value {
  /// Whether the numbers can be what they are called.
  fileprivate var isPossible: Bool {
    switch self {
    case .nothing: true
    case .asked(let count, let expect): count >= 1 && expect ?? 0 >= 0
    case .next(let length), .actual(let length), .length(let length): length >= 0
    }
  }
}
