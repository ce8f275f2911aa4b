import FaultPrograms

/// The reports that a process got while its requests failed.
struct Account {
  private var answered: [Int] = []
  private var unknown: [Int] = []
  private var counts: [(found: Int, answered: [Int], unknown: [Int])] = []
  /// The codes of all errors, in order.
  private(set) var codes: [String] = []

  init(_ notes: [CallJournal.Note]) {
    for note in notes {
      switch note {
      case .begin, .folding: break
      case .done(let call): answered.append(call)
      case .failed(let call, let code):
        codes.append(code)
        if code == "outcomeUnknown" { unknown.append(call) }
      case .refused(let code), .unread(let code): codes.append(code)
      case .read(let count): counts.append((count, answered, unknown))
      }
    }
  }

  /// The required contents of the store. A failed call may be there only if its outcome was reported unknown.
  var knowledge: Examination.Knowledge {
    .init(must: CallSet(answered), may: CallSet(answered + unknown), isHistory: false)
  }

  /// Why the errors themselves contradict the fault; `nil` if they do not.
  ///
  /// - Parameters:
  ///   - isMetaPage: Whether a write of LMDB's meta page was among the failed requests.
  ///   - fired: The number of failed requests.
  func contradiction(of fault: Fault, isMetaPage: Bool, fired: Int) throws -> String? {
    if fired == 0, !codes.isEmpty || answered.count < Attempt.calls {
      return "errors without a fault: \(codes)"
    }
    if let code = codes.first(where: { !allowed(by: fault).contains($0) }) { return "told as \(code)" }
    // A second failure may have kept the record of a failed commit from being removed.
    if codes.contains("outcomeUnknown"), !isMetaPage, fired < 2 { return "called unknown what is known" }
    if fault.times == 1, !unknown.isEmpty { return "called unknown what one more look would tell" }
    // Until everything in the process has released the store, its next opener gets the unknown outcome once
    // more.
    let isRepeated = Set(codes) == ["outcomeUnknown"]
    if fault.times == 1, codes.count > 1, !isRepeated {
      return "one fault, and more than one failure: \(codes)"
    }
    for count in counts {
      let sure = try events(count.answered)
      let most = try sure + events(count.unknown)
      if count.found < sure || count.found > most {
        return "\(count.found) entries were read, not \(sure) to \(most)"
      }
    }
    return nil
  }

  private func events(_ calls: [Int]) throws -> Int {
    try calls.map { try Call($0, seed: Attempt.seed).events.count }.sum()
  }

  /// The codes that report a fault truthfully.
  private func allowed(by fault: Fault) -> Set<String> {
    var codes: Set = ["inputOutput", "notCommitted", "outcomeUnknown"]
    // When the disk becomes full, a system writes only a part, and LMDB reports a full disk.
    if fault.kind == .noSpace || fault.kind == .short { codes.insert("diskFull") }
    return codes
  }
}
