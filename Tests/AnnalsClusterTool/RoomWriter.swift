import Annals
import Foundation

/// One writer that makes random calls and records what it learns of each.
struct RoomWriter {
  private let store: EventStore<RoomsPlan>
  private var mark: Int
  private let rooms: Int

  /// - Parameters:
  ///   - store: The store of the machine.
  ///   - mark: The first mark less one; marks rise from there.
  ///   - rooms: The number of rooms that all writers fight for.
  init(_ store: EventStore<RoomsPlan>, mark: Int, rooms: Int) {
    self.store = store
    self.mark = mark
    self.rooms = rooms
  }

  private static func stream() -> String {
    Int.random(in: 0..<3) == 0 ? "cold-\(Int.random(in: 0..<5_000))" : "hot-\(Int.random(in: 0..<6))"
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Makes one random call.
  mutating func step() async throws -> RecordedCall {
    let kind = Int.random(in: 0..<10)
    var call = RecordedCall(.unknown, Self.now, 0, parts(kind))
    if (3...5).contains(kind) { call.room = "room \(Int.random(in: 0..<rooms))" }
    do throws(AnnalsError) {
      try await make(&call, kind)
    } catch {
      switch error.code {
      case .conflict, .rejected: call.outcome = .refused
      case .unavailable: call.outcome = .unknown
      default: throw error
      }
    }
    call.end = Self.now
    return call
  }

  /// The streams and marks of a call of a kind.
  private mutating func parts(_ kind: Int) -> [RecordedCall.Part] {
    func part(_ count: Int) -> RecordedCall.Part {
      mark += count
      return RecordedCall.Part(stream: Self.stream(), marks: Array(mark - count + 1...mark))
    }
    return switch kind {
    case 0...6: [part(1)]
    case 7: [part(1), part(1)]
    default: [part(2)]
    }
  }

  private func make(_ call: inout RecordedCall, _ kind: Int) async throws(AnnalsError) {
    let stream = StreamName(call.parts[0].stream)
    let notes = call.marks.map { RoomsV1.Event.noted(.init(mark: $0)) }
    let appended: Appended
    switch kind {
    case 0, 1, 2:
      let head = try store.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: stream) }
      call.parts[0].expected = head.map { Int($0.rawValue) } ?? -1
      appended = try await store.append(
        notes, to: stream, expecting: head.map { .revision($0) } ?? .noStream)
    case 3, 4, 5:
      let room = call.room ?? ""
      let booking = RoomsV1.Event.booked(.init(room: room, mark: call.marks[0]))
      if kind == 5 {
        let query = EventQuery<RoomsV1.Event>([\.booked], tags: [EventTag("room:\(room)")])
        appended = try await store.append([booking], to: stream, unless: query)
      } else {
        appended = try await store.append([booking], to: stream)
      }
    case 6:
      let event = NewEvent(notes[0], id: UUID())
      appended = try await store.append([event], to: stream)
      // As if the answer had been lost.
      let again = try await store.append([event], to: stream)
      call.store(again.positions.map(\.rawValue), again.revisions.map(\.rawValue))
      if again.positions != appended.positions {
        call.outcome = .broken
        return
      }
    case 7:
      let other = StreamName(call.parts[1].stream)
      appended = try await store.append { call in
        call.append([notes[0]], to: stream)
        call.append([notes[1]], to: other)
      }
    default:
      appended = try await store.append(notes, to: stream)
    }
    call.store(appended.positions.map(\.rawValue), appended.revisions.map(\.rawValue))
  }
}
