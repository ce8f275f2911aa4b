internal import AnnalsCoding

/// What a log needs of the broker's stream that keeps it.
enum StreamRules {
  /// Returns why the stream cannot keep the log; empty if it can.
  ///
  /// Each setting would lose messages, give them other sequences or add messages from elsewhere.
  static func faults(of facts: StreamFacts, for name: LogName) -> [String] {
    var faults: [String] = []
    if facts.subjects != [name.subject] {
      faults.append("its subjects are \(facts.subjects.joined(separator: ", ")), not \(name.subject) alone")
    }
    if !facts.keepsUntilLimits { faults.append("its retention removes messages that were read") }
    if !facts.isInFiles { faults.append("its storage is memory, not files") }
    if facts.hasLimits { faults.append("it has limits of age, size or count, which remove messages") }
    if !facts.refusesWhenFull { faults.append("it discards old messages when it is full") }
    if facts.hasSources { faults.append("it is a mirror or has sources, which renumber messages") }
    if facts.isSealed { faults.append("it is sealed") }
    if !facts.answersPublishes { faults.append("it does not acknowledge messages") }
    return faults
  }

  /// Throws if the stream cannot keep the log.
  static func check(_ facts: StreamFacts, for name: LogName) throws(AnnalsError) {
    let faults = faults(of: facts, for: name)
    guard faults.isEmpty else {
      throw AnnalsError(
        .wrongUse,
        "the broker's stream '\(name.stream)' cannot keep a log: \(faults.joined(separator: "; ")). Create "
          + "it with Annals, or give the log another name")
    }
  }
}
