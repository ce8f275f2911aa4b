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

  private mutating func note() -> RoomsV1.Event {
    mark += 1
    return .noted(.init(mark: mark))
  }

  private mutating func booking() -> (event: RoomsV1.Event, room: String) {
    mark += 1
    let room = "room \(Int.random(in: 0..<rooms))"
    return (.booked(.init(room: room, mark: mark)), room)
  }

  private static func stream() -> StreamName {
    Int.random(in: 0..<3) == 0
      ? StreamName("cold-\(Int.random(in: 0..<5_000))") : StreamName("hot-\(Int.random(in: 0..<6))")
  }

  /// Makes one random call.
  mutating func step() async throws -> RecordedCall {
    let before = mark
    let start = DispatchTime.now().uptimeNanoseconds
    func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
    do throws(AnnalsError) {
      var call = try await call(start)
      call.end = now()
      return call
    } catch {
      let marks = before < mark ? Array(before + 1...mark) : []
      switch error.code {
      case .conflict, .rejected: return RecordedCall(.refused, start, now(), marks: marks)
      case .unavailable: return RecordedCall(.unknown, start, now(), marks: marks)
      default: throw error
      }
    }
  }

  private mutating func call(_ start: UInt64) async throws(AnnalsError) -> RecordedCall {
    let stream = Self.stream()
    let first = mark + 1
    var expected: UInt64?
    let appended: Appended
    switch Int.random(in: 0..<10) {
    case 0, 1, 2:
      let head = try store.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: stream) }
      expected = head?.rawValue
      appended = try await store.append(
        [note()], to: stream, expecting: head.map { .revision($0) } ?? .noStream)
    case 3, 4:
      let booking = booking()
      appended = try await store.append([booking.event], to: stream)
    case 5:
      let booking = booking()
      let query = EventQuery<RoomsV1.Event>([\.booked], tags: [EventTag("room:\(booking.room)")])
      appended = try await store.append([booking.event], to: stream, unless: query)
    case 6:
      let event = NewEvent(note(), id: UUID())
      appended = try await store.append([event], to: stream)
      // As if the answer had been lost.
      let again = try await store.append([event], to: stream)
      if again.positions != appended.positions {
        return RecordedCall(
          .broken, start, start, marks: [mark],
          positions: (appended.positions + again.positions).map(\.rawValue))
      }
    case 7:
      let other = Self.stream()
      let (one, two) = (note(), note())
      appended = try await store.append { call in
        call.append([one], to: stream)
        call.append([two], to: other)
      }
    default:
      appended = try await store.append([note(), note()], to: stream)
    }
    return RecordedCall(
      .stored, start, start, marks: Array(first...mark), positions: appended.positions.map(\.rawValue),
      expected: expected, found: expected == nil ? nil : appended.revisions.first?.rawValue)
  }
}
