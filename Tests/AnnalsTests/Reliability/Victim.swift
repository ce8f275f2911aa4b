import Foundation

@testable import Annals
@testable import AnnalsLog

/// A process that is killed while it works; what it was about to write follows from two numbers.
enum Victim {
  /// An append call: what it stores in which stream, in order.
  struct Call {
    var events: [(stream: StreamName, id: UUID)]

    /// The call `number` of the victim `victim`.
    init(victim: Int, number: Int) {
      var random = SeededGenerator(seed: UInt64(victim) << 32 | UInt64(number))
      events = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let stream: StreamName = ["a", "b", "c", "stream \(victim)"].randomElement(using: &random) ?? "a"
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          events.append((stream, Self.id(victim, number, events.count)))
        }
      }
    }

    /// An id that says where its event belongs.
    private static func id(_ victim: Int, _ call: Int, _ index: Int) -> UUID {
      func byte(_ number: Int, _ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * place)) }
      return UUID(
        uuid: (
          1, 0, 0, 0, byte(victim, 3), byte(victim, 2), byte(victim, 1), byte(victim, 0), byte(call, 3),
          byte(call, 2), byte(call, 1), byte(call, 0), byte(index, 3), byte(index, 2), byte(index, 1),
          byte(index, 0)
        ))
    }
  }

  /// Kills this process, at the latest `microseconds` from now.
  static func die(after microseconds: UInt32) {
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
  }

  /// Appends until it is killed, and notes each call before it is made and after it was answered.
  static func append(store: String, journal: String, victim: Int, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let delay = UInt32.random(in: 0..<40_000, using: &random)
    // One in four is killed while it opens the store, or soon after.
    let isEarly = Int.random(in: 0..<4, using: &random) == 0 && victim > 0
    let journal = try Journal(path: journal)
    if isEarly { die(after: delay / 4) }
    let log = try EventLog(at: URL(fileURLWithPath: store), options: .merging(every: 12))
    // The first one lives until it has an answer, however slow the disk is.
    if !isEarly, victim > 0 { die(after: delay) }
    var number = 0
    while true {
      let call = Call(victim: victim, number: number)
      // Now and then a payload that takes pages of its own.
      let size = number % 5 == 4 ? 6_000 : number % 90
      try journal.note("begin \(victim) \(number)")
      let entries = try call.events.map { try NewEntry.sized(size, id: $0.id) }
      let done = try await log.append { appending in
        for (event, entry) in zip(call.events, entries) { appending.append([entry], to: event.stream) }
      }
      let positions = done.positions.map(\.description).joined(separator: " ")
      try journal.note("done \(victim) \(number) \(positions)")
      number += 1
      if victim == 0, number == 1 { die(after: delay) }
    }
  }
}

extension NewEntry {
  /// An entry whose payload has a text of `count` bytes.
  static func sized(_ count: Int, type: String = "Placed", id: UUID? = nil) throws -> NewEntry {
    NewEntry(
      type: type, version: nil, payload: try Payload(["text": .text(String(repeating: "x", count: count))]),
      id: id)
  }
}
