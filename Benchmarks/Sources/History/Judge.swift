/// Decides whether a history is linearizable.
///
/// In a linearizable history each operation can have taken place at one moment between its first and its last
/// line. Each stream is judged separately (Herlihy, Wing: "Linearizability: a correctness condition for
/// concurrent objects", 1990, theorem 1).
public enum Judge {
  /// What was found.
  public enum Verdict: Hashable, Sendable {
    /// An order exists that explains every line.
    case linearizable
    /// No order does.
    case impossible(key: String, reason: String)
  }

  /// Judges the lines of a history, in their order.
  ///
  /// - Throws: ``MalformedHistory`` where the lines are no history.
  public static func verdict(on history: [HistoryLine]) throws(MalformedHistory) -> Verdict {
    let operations = Dictionary(grouping: try Operation.all(in: history), by: \.key)
    for (key, operations) in operations.sorted(by: { $0.key < $1.key }) {
      if let reason = StreamCase(operations).objection { return .impossible(key: key, reason: reason) }
    }
    return .linearizable
  }
}
