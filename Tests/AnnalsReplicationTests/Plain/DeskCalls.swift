import Annals
import AnnalsLog
import AnnalsTestSupport
import Foundation

@testable import AnnalsReplication

/// Random calls about desks, most of them plain, and a model of what a log makes of them.
struct DeskCalls {
  enum Kind: String {
    case taken = "Taken"
    case freed = "Freed"
    case noted = "Noted"

    var record: AppendRequest.Record {
      // A machine decides calls alone as long as it does not know which versions read a record of the store.
      let text = self == .noted ? "(mark: int64)" : "(desk: text, mark: int64)"
      return AppendRequest.Record(
        type: ExactText(rawValue), version: SchemaVersion(1, 0, 0),
        shape: (try? RecordShape(parsing: text)).map { StoredShape($0) }, stability: .released,
        oldestReader: SchemaVersion(1, 0, 0))
    }
  }

  struct Event {
    var kind: Kind
    var desk = "d0"
    var mark: Int8

    /// The mark as CBOR.
    private var encodedMark: UInt8 { mark < 0 ? 0x20 | UInt8(-1 - mark) : UInt8(mark) }

    var payload: [UInt8] {
      if kind == .noted { return [0x81, encodedMark] }
      return [0x82, 0x60 | UInt8(desk.utf8.count)] + Array(desk.utf8) + [encodedMark]
    }
  }

  struct Call {
    var stream: String
    var events: [Event]
    var isNew = false
    var bytes: SharedCall
  }

  private var random: SeededGenerator
  private(set) var calls: [Call] = []
  /// The projections in force.
  let hasNotes: Bool

  init(seed: UInt64, hasNotes: Bool) {
    random = SeededGenerator(seed: seed)
    self.hasNotes = hasNotes
  }

  private mutating func draw(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  private mutating func event(_ number: Int) -> Event {
    // Records that the log does not have yet come in the middle of its plain calls.
    let kinds: [Kind] = number < 40 ? [.noted] : number < 90 ? [.noted, .taken] : [.noted, .taken, .freed]
    let kind = kinds[draw(kinds.count)]
    return Event(kind: kind, desk: "d\(draw(10))", mark: draw(9) == 0 ? -3 : Int8(draw(20)))
  }

  /// Returns another call, or a copy of an earlier one.
  mutating func next() throws -> SharedCall {
    if !calls.isEmpty, draw(12) == 0 { return calls[draw(calls.count)].bytes }
    let number = calls.count
    var events = [event(number)]
    while draw(4) == 0 { events.append(event(number)) }
    let stream = "s\(draw(6))"
    let isNew = draw(9) == 0
    var request = AppendRequest(time: 0)
    request.add(StreamName(stream), expecting: isNew ? .noStream : .any)
    for event in events {
      var encoded = AppendRequest.Event(record: event.kind.record, payload: event.payload)
      if draw(5) == 0 { encoded.metadata = [0xa1, 0x61, 0x61, 0x01] }
      if draw(5) == 0 { encoded.time = Int64(number) }
      request.add(encoded)
    }
    let bytes = try SharedCall(request, CommitID(id: UUID(), base: 1))
    calls.append(Call(stream: stream, events: events, isNew: isNew, bytes: bytes))
    return bytes
  }

  /// What a log has after the calls, each decided once in this order.
  func outcome(of order: [UUID]) -> (events: [String], desks: [String], refused: Int) {
    var (desks, notes, heads): ([String: Int8], [String: Int], [String: Int]) = ([:], [:], [:])
    var (events, refused): ([String], Int) = ([], 0)
    var known: [UUID: Call] = [:]
    for call in calls { if let commit = call.bytes.call?.commit { known[commit.id] = call } }
    for id in order {
      guard let call = known.removeValue(forKey: id) else { continue }
      var (trial, count) = (desks, notes)
      guard !call.isNew || heads[call.stream] == nil,
        call.events.allSatisfy({ fold($0, call.stream, &trial, &count) }),
        !trial.values.contains(where: { $0 < 0 })
      else {
        refused += 1
        continue
      }
      (desks, notes) = (trial, count)
      for event in call.events {
        let revision = heads[call.stream].map { $0 + 1 } ?? 0
        heads[call.stream] = revision
        // The reader of the test knows no marks below zero.
        events.append("\(call.stream) \(revision) \(max(event.mark, 0))")
      }
    }
    return (events, desks.map { "\($0.key) \($0.value)" }.sorted(), refused)
  }

  private func fold(
    _ event: Event, _ stream: String, _ desks: inout [String: Int8], _ notes: inout [String: Int]
  ) -> Bool {
    switch event.kind {
    case .taken:
      if desks[event.desk] != nil { return false }
      desks[event.desk] = event.mark
    case .freed: return desks.removeValue(forKey: event.desk) != nil
    case .noted:
      notes[stream, default: 0] += 1
      return !hasNotes || notes[stream, default: 0] % 7 != 0
    }
    return true
  }
}
