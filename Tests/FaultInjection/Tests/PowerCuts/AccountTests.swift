import FaultPrograms
import Testing

/// Findings about errors that do not fit the fault.
@Suite struct AccountTests {
  private let once = Fault(call: "fdatasync", kind: .inputOutput, times: 1)

  private func contradiction(
    _ fault: Fault, _ notes: [CallJournal.Note], isMetaPage: Bool = false, fired: Int = 1
  ) throws -> String? {
    try Account(notes).contradiction(of: fault, isMetaPage: isMetaPage, fired: fired)
  }

  @Test func `one error for one fault fits`() throws {
    #expect(
      try contradiction(once, [.begin(0), .failed(0, code: "notCommitted"), .begin(1), .done(1)]) == nil)
  }

  @Test func `errors without a fault do not fit, nor calls that are never answered`() throws {
    #expect(try contradiction(once, [.failed(0, code: "notCommitted")], fired: 0) != nil)
    #expect(try contradiction(once, [.begin(0), .done(0)], fired: 0) != nil)
    #expect(try contradiction(once, (0..<Attempt.calls).map { .done($0) }, fired: 0) == nil)
  }

  @Test func `two errors do not fit one fault`() throws {
    #expect(try contradiction(once, [.failed(0, code: "notCommitted"), .unread(code: "inputOutput")]) != nil)
  }

  @Test func `an unknown outcome may be reported again, and nothing else with it`() throws {
    let notes = [CallJournal.Note.refused(code: "outcomeUnknown"), .refused(code: "outcomeUnknown")]
    #expect(try contradiction(once, notes, isMetaPage: true) == nil)
    #expect(try contradiction(once, notes + [.unread(code: "inputOutput")], isMetaPage: true) != nil)
  }

  @Test func `damage does not fit, nor a full disk that is none`() throws {
    #expect(try contradiction(once, [.refused(code: "damaged")]) == "told as damaged")
    #expect(try contradiction(once, [.refused(code: "diskFull")]) == "told as diskFull")
    let full = Fault(call: "fdatasync", kind: .noSpace, times: 1)
    #expect(try contradiction(full, [.refused(code: "diskFull")]) == nil)
  }

  @Test func `an unknown outcome fits only the meta page`() throws {
    let notes = [CallJournal.Note.failed(0, code: "outcomeUnknown")]
    let always = Fault(call: "pwrite", kind: .inputOutput, times: 0)
    #expect(try contradiction(always, notes) == "called unknown what is known")
    #expect(try contradiction(always, notes, isMetaPage: true) == nil)
  }

  @Test func `an unknown outcome does not fit one fault, after which the library can determine it`() throws {
    let notes = [CallJournal.Note.failed(0, code: "outcomeUnknown")]
    let once = Fault(call: "pwrite", kind: .inputOutput, times: 1)
    #expect(
      try contradiction(once, notes, isMetaPage: true) == "called unknown what one more look would tell")
  }

  @Test func `a call of unknown outcome may be there, one that failed otherwise may not`() {
    let account = Account([.done(0), .failed(1, code: "outcomeUnknown"), .failed(2, code: "notCommitted")])
    #expect(account.knowledge.must == CallSet([0]))
    #expect(account.knowledge.may == CallSet([0, 1]))
  }

  @Test func `a reading that lacks answered calls does not fit`() throws {
    let events = try Call(0, seed: Attempt.seed).events.count
    #expect(try contradiction(once, [.done(0), .read(events)]) == nil)
    #expect(try contradiction(once, [.done(0), .read(events - 1)]) != nil)
    #expect(try contradiction(once, [.done(0), .read(events + 1)]) != nil)
  }
}
