import Annals
import FaultPrograms
import Foundation

/// The notes of writers about conditional calls, to be compared with the final log.
struct TagHistory {
  /// The answer to a call.
  enum Answer {
    case none
    case done(positions: [UInt64])
    /// An entry at the position matched, or the expectation of the stream did not hold.
    case refused(match: UInt64?)
  }

  private(set) var calls: [[Int]: (call: TaggedCall, answer: Answer)] = [:]
  /// Lines that no writer should have written.
  private(set) var complaints: [String] = []

  var acknowledged: Int { calls.values.count { if case .done = $0.answer { true } else { false } } }
  /// Calls that a matching entry refused.
  var matched: Int { calls.values.count { if case .refused(.some) = $0.answer { true } else { false } } }
  /// Calls that the head of a stream refused.
  var conflicts: Int { calls.values.count - acknowledged - matched - open }
  /// Calls without an answer.
  var open: Int { calls.values.count { if case .none = $0.answer { true } else { false } } }

  /// Reads the journals of writers by their numbers.
  init(_ writers: [Int: String]) throws {
    for (writer, path) in writers {
      for words in try Journal.lines(path: path) {
        guard words.count >= 3, let number = Int(words[1]) else {
          complaints.append("writer \(writer): \(words)")
          continue
        }
        let key = [writer, number]
        switch words[0] {
        case "begin":
          guard let call = TaggedCall(writer: writer, number: number, words[2]) else {
            complaints.append("writer \(writer): no call: \(words[2])")
            continue
          }
          if calls[key] == nil { calls[key] = (call, .none) }
        case "done": calls[key]?.answer = .done(positions: words.dropFirst(3).compactMap { UInt64($0) })
        case "conflict": calls[key]?.answer = .refused(match: UInt64(words[2]))
        default: complaints.append("writer \(writer): \(words)")
        }
      }
    }
  }

  /// What contradicts the entries of the log, all of them in order.
  ///
  /// - Parameter known: The position that the writer of a stored call knew.
  func problems(
    with entries: [LogEntry], known: (TaggedCall) -> UInt64? = { $0.after }
  ) -> [String] {
    var problems = complaints
    var placed: [[Int]: Int] = [:]
    var index = 0
    while index < entries.count {
      let first = entries[index]
      guard first.position.rawValue == UInt64(index + 1), let id = first.id,
        let place = WriterCall.place(of: id), place.index == 0,
        let call = calls[[place.writer, place.call]]?.call
      else {
        problems.append("position \(first.position): nobody's, or not in its place")
        index += 1
        continue
      }
      let key = [place.writer, place.call]
      if placed[key] != nil { problems.append("call \(key) is there twice") }
      placed[key] = index
      for (offset, event) in call.events.enumerated() {
        guard index < entries.count, isStored(event, offset, of: call, entries[index]) else {
          problems.append("call \(key): its event \(offset) is not at position \(index + 1)")
          break
        }
        index += 1
      }
      if let match = firstMatch(of: call.query, after: known(call), in: entries[..<(placed[key] ?? 0)]) {
        problems.append("call \(key) was stored at \(first.position), though \(match) matches")
      }
    }
    for (key, (call, answer)) in calls {
      switch answer {
      case .none: break
      case .done(let positions):
        let found = placed[key].map { entries[$0..<min($0 + call.events.count, entries.count)] } ?? []
        if found.map(\.position.rawValue) != positions {
          problems.append("call \(key): acknowledged at \(positions), and not there")
        }
      case .refused(let match):
        if placed[key] != nil { problems.append("call \(key): refused, and stored") }
        // Later entries come after it, so the first match was the same then.
        if let match, firstMatch(of: call.query, after: call.after, in: entries[...]) != match {
          problems.append("call \(key): refused by \(match), which is not the first match")
        }
      }
    }
    return problems
  }

  /// Whether an entry is an event of a call, and says what its writer asserted.
  private func isStored(_ event: TaggedCall.Event, _ index: Int, of call: TaggedCall, _ entry: LogEntry)
    -> Bool
  {
    entry.stream.text == call.stream && entry.type == event.type && Set(entry.tags) == event.tags
      && call.hasID(of: entry, at: index) && entry.metadata[TaggedCall.key] == .text(call.text)
      && entry.isEndOfCall == (index == call.events.count - 1)
  }

  /// The first of `entries` after a position that matches a query.
  private func firstMatch(
    of query: LogQuery, after known: UInt64?, in entries: ArraySlice<LogEntry>
  ) -> UInt64? {
    entries.first { $0.position.rawValue > known ?? 0 && Self.matches($0, query) }?.position.rawValue
  }

  /// Whether an entry matches a query.
  static func matches(_ entry: LogEntry, _ query: LogQuery) -> Bool {
    query.items.contains { item in
      (item.types.isEmpty || item.types.contains(entry.type)) && item.tags.isSubset(of: entry.tags)
    }
  }
}
