import Annals
import FaultPrograms
import Foundation

/// The notes of writers and watchers about one store, to be compared with its final contents.
///
/// The times are of one clock for all processes. A call that was answered before another one began must come
/// first in the log.
struct History {
  /// The answer to a writer's call.
  enum Answer {
    case none
    case done(positions: [UInt64], revisions: [UInt64])
    case conflict(found: [String: UInt64?])
  }

  /// A call, and its first and last moment.
  struct Call {
    var call: WriterCall
    var begun: UInt64
    var ended = UInt64.max
    var answer = Answer.none
  }

  /// An observation of a watcher: the log's head between two moments.
  struct Sight {
    var begun: UInt64
    var ended: UInt64
    var head: UInt64
  }

  /// The calls of each writer by their numbers.
  private(set) var calls: [[Int]: Call] = [:]
  private(set) var sights: [Sight] = []
  private let before: Int
  /// The number of calls that ended with an error, by its code.
  private(set) var failures: [String: Int] = [:]
  /// The errors that writers and watchers themselves reported.
  private(set) var complaints: [String] = []

  /// Calls that were answered with success.
  var acknowledged: Int { calls.values.count { if case .done = $0.answer { true } else { false } } }
  /// Calls that a violated expectation ended.
  var conflicts: Int { calls.values.count { if case .conflict = $0.answer { true } else { false } } }

  /// The history in journals: those of writers by their numbers, and those of watchers.
  ///
  /// - Parameter before: The number of entries in the log before the writers began.
  init(writers: [Int: String], watchers: [String], ignoring before: Int = 0) throws {
    self.before = before
    for (writer, path) in writers {
      for words in try Journal.lines(path: path) { read(words, of: writer) }
    }
    for path in watchers {
      for words in try Journal.lines(path: path) {
        let numbers = words.dropFirst().compactMap { UInt64($0) }
        if words[0] == "saw", numbers.count == 3 {
          sights.append(Sight(begun: numbers[0], ended: numbers[1], head: numbers[2]))
        } else {
          complaints.append(words.joined(separator: " "))
        }
      }
    }
  }

  private mutating func read(_ words: [String], of writer: Int) {
    guard words.count >= 3, let number = Int(words[1]), let time = UInt64(words[2]) else {
      complaints.append("writer \(writer): \(words.joined(separator: " "))")
      return
    }
    let key = [writer, number]
    switch words[0] {
    case "begin":
      let parts = words.dropFirst(3).compactMap { WriterCall.Part($0) }
      if calls[key] == nil {
        calls[key] = Call(call: WriterCall(writer: writer, number: number, parts: parts), begun: time)
      }
    case "done":
      let places = words.dropFirst(4).map { $0.split(separator: ":").compactMap { UInt64($0) } }
      calls[key]?.ended = time
      calls[key]?.answer = .done(positions: places.map { $0[0] }, revisions: places.map { $0[1] })
    case "conflict":
      calls[key]?.ended = time
      let found = words.dropFirst(3).map { $0.split(separator: ":").map(String.init) }
      calls[key]?.answer = .conflict(
        found: Dictionary(found.map { ($0[0], UInt64($0[1])) }, uniquingKeysWith: { first, _ in first }))
    case "failed": failures[words[3], default: 0] += 1
    default: complaints.append("writer \(writer): \(words.joined(separator: " "))")
    }
  }

  /// The contradictions to the store's content; empty if there are none.
  func problems(with content: StoreContent) throws -> [String] {
    var problems = complaints + content.contradictions()
    let placed = try place(content, &problems)
    checkAnswers(placed, content, &problems)
    checkOrder(placed, &problems)
    checkConflicts(placed, content, &problems)
    checkSights(placed, content, &problems)
    return problems
  }

  /// Finds the call of each entry, and compares the entry with it.
  ///
  /// - Returns: The index of each stored call's first entry.
  private func place(_ content: StoreContent, _ problems: inout [String]) throws -> [[Int]: Int] {
    var placed: [[Int]: Int] = [:]
    var index = before
    while index < content.entries.count {
      let first = content.entries[index]
      guard let id = first.id, let place = WriterCall.place(of: id), place.index == 0,
        let call = calls[[place.writer, place.call]]?.call
      else {
        problems.append(
          "position \(first.position): an entry that nobody appended, or not the first of its call")
        index += 1
        continue
      }
      let key = [place.writer, place.call]
      if placed[key] != nil { problems.append("call \(key): stored twice") }
      placed[key] = index
      for (offset, stream) in call.streams.enumerated() {
        guard index < content.entries.count else {
          problems.append("call \(key): its end is missing")
          break
        }
        let entry = content.entries[index]
        let payload = try call.payload(offset)
        if entry.id != call.id(offset) || entry.stream != stream
          || entry.isEndOfCall != (offset == call.streams.count - 1)
          || entry.payload != payload
        {
          problems.append("call \(key), event \(offset): position \(entry.position) holds something else")
        }
        index += 1
      }
    }
    return placed
  }

  /// Checks that acknowledged calls are in their places, that refused ones are absent, and that expectations
  /// held.
  private func checkAnswers(_ placed: [[Int]: Int], _ content: StoreContent, _ problems: inout [String]) {
    for (key, call) in calls {
      let stored = placed[key].map {
        content.entries[$0..<min($0 + call.call.streams.count, content.entries.count)]
      }
      switch call.answer {
      case .none: break
      case .conflict:
        if stored != nil { problems.append("call \(key): refused, and stored") }
      case .done(let positions, let revisions):
        if stored.map({ $0.map(\.position) }) != positions || stored.map({ $0.map(\.revision) }) != revisions
        {
          problems.append("call \(key): acknowledged at \(positions), and not there")
        }
      }
      guard let stored else { continue }
      var rest = stored
      for part in call.call.parts {
        guard let first = rest.first?.revision else { continue }
        let holds =
          switch part.expectation {
          case .any: true
          case .noStream: first == 0
          case .exists: first > 0
          case .revision(let revision): first == revision.rawValue + 1
          }
        if !holds { problems.append("call \(key): stored at \(first), and \(part.expectation) was expected") }
        rest = rest.dropFirst(part.count)
      }
    }
  }

  /// Checks that a call which was answered before another one began comes before it.
  private func checkOrder(_ placed: [[Int]: Int], _ problems: inout [String]) {
    var earliestEnd = UInt64.max
    for (key, _) in placed.sorted(by: { $0.value > $1.value }) {
      guard let call = calls[key] else { continue }
      if call.begun > earliestEnd {
        problems.append("call \(key): stands before one that ended before it began")
      }
      earliestEnd = min(earliestEnd, call.ended)
    }
  }

  /// Checks that the state of a stream in a refusal held at some moment between the call and its answer.
  private func checkConflicts(_ placed: [[Int]: Int], _ content: StoreContent, _ problems: inout [String]) {
    let writers = content.calls(placed, calls)
    for (key, call) in calls {
      guard case .conflict(let found) = call.answer else { continue }
      if found.isEmpty { problems.append("call \(key): refused without a reason") }
      for (stream, actual) in found {
        let before = actual.flatMap { writers[stream]?[$0] }
        let after = writers[stream]?[actual.map { $0 + 1 } ?? 0]
        let wasThere = actual == nil || (before.map { $0.begun < call.ended } ?? false)
        let wasLast = after.map { $0.ended > call.begun } ?? true
        let expectation = call.call.parts.first { $0.stream == stream }?.expectation
        let isRight =
          switch expectation {
          case .noStream: actual != nil
          case .exists: actual == nil
          case .revision(let revision): actual != revision.rawValue
          case .any, nil: false
          }
        if !wasThere || !wasLast || !isRight {
          problems.append("call \(key): told that \(stream) ends at \(actual.map(String.init) ?? "nothing")")
        }
      }
    }
  }

  /// Checks that a snapshot holds all calls answered before it began, and none that began after it.
  private func checkSights(_ placed: [[Int]: Int], _ content: StoreContent, _ problems: inout [String]) {
    let stored = placed.compactMap { key, index in
      calls[key].map { (last: UInt64(index + $0.call.streams.count), call: $0) }
    }
    let byEnd = stored.sorted { $0.call.ended < $1.call.ended }
    var (answered, next) = (UInt64(0), 0)
    for sight in sights.sorted(by: { $0.begun < $1.begun }) {
      while next < byEnd.count, byEnd[next].call.ended < sight.begun {
        answered = max(answered, byEnd[next].last)
        next += 1
      }
      if sight.head < answered {
        problems.append("a snapshot ends at \(sight.head), behind an answer at \(answered)")
      }
    }
    let begun = Dictionary(stored.map { ($0.last, $0.call.begun) }, uniquingKeysWith: { first, _ in first })
    for sight in sights where sight.head > before {
      guard let time = begun[sight.head], time < sight.ended else {
        problems.append("a snapshot ends at \(sight.head), inside a call or before it was made")
        continue
      }
    }
  }
}
