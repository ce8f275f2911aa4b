@testable import ClusterTool

/// Compares the answers that writers got with the events that the stores have in the end.
///
/// A history is linearizable if one order of all calls explains every answer, and calls that ended before
/// others began come before them. The order is that of positions, so only these points need a check.
struct HistoryJudge {
  /// Where the event with each mark is stored.
  let places: [Int: UInt64]

  /// Returns every contradiction, in words.
  func faults(of calls: [RecordedCall]) -> [String] {
    var faults: [String] = []
    for call in calls {
      switch call.outcome {
      case .stored:
        if call.marks.count != call.positions.count { faults.append("a call has other marks: \(call.line)") }
        for (mark, position) in zip(call.marks, call.positions) {
          guard let place = places[mark] else {
            faults.append("mark \(mark) was acknowledged at \(position) and is lost")
            continue
          }
          if place != position {
            faults.append("mark \(mark) was acknowledged at \(position) and is at \(place)")
          }
        }
        for part in call.parts {
          guard let expected = part.expected, part.revisions.first.map({ Int($0) }) != expected + 1
          else { continue }
          faults.append("a call that expected another revision is stored: \(call.line)")
        }
      case .refused:
        for mark in call.marks where places[mark] != nil {
          faults.append("mark \(mark) was refused and is stored")
        }
      case .unknown:
        // All events of a call are stored, or none.
        if Set(call.marks.map { places[$0] == nil }).count > 1 {
          faults.append("a call is stored in part: \(call.line)")
        }
      case .broken: faults.append("a repeated call got another answer: \(call.line)")
      }
    }
    return faults + orderFaults(of: calls)
  }

  /// Calls that ended before others began and have higher positions.
  private func orderFaults(of calls: [RecordedCall]) -> [String] {
    let stored = calls.filter { $0.outcome == .stored && !$0.positions.isEmpty }
    let byEnd = stored.sorted { $0.end < $1.end }
    var faults: [String] = []
    var highest: (position: UInt64, line: String) = (0, "")
    var next = byEnd.startIndex
    for call in stored.sorted(by: { $0.start < $1.start }) {
      while next < byEnd.endIndex, byEnd[next].end < call.start {
        if let last = byEnd[next].positions.max(), last > highest.position {
          highest = (last, byEnd[next].line)
        }
        next += 1
      }
      if let first = call.positions.min(), first < highest.position {
        faults.append("'\(call.line)' began after the end of '\(highest.line)' and comes before it")
      }
    }
    return faults
  }
}
