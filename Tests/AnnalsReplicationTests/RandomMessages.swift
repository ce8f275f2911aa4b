import Annals
import AnnalsCoding
import AnnalsLog
import AnnalsSchema
import AnnalsShapes
import AnnalsTestSupport
import Foundation

@testable import AnnalsReplication

/// Messages that no program of this library would publish: all that can be encoded, in any order.
struct RandomMessages {
  private let log: UUID
  private var random: SeededGenerator
  private let shapes: [StoredShape]
  private var calls: [SharedCall] = []
  /// The sequence of the next message.
  private var sequence: UInt64 = 2

  init(_ log: UUID, seed: UInt64) throws {
    self.log = log
    random = SeededGenerator(seed: seed)
    shapes = try ["(mark: int64)", "(mark: text)", "(mark: int64?)"].map {
      StoredShape(try RecordShape(parsing: $0))
    }
  }

  private mutating func draw(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// Returns the bytes of the next message.
  mutating func next() throws -> [UInt8] {
    defer { sequence += 1 }
    var bytes =
      switch draw(10) {
      case 0, 1: try ClusterMessage(log: log, .change(change(), commit())).encoded()
      case 2, 3: ClusterMessage.bytes(of: [try call().bytes], log: log)
      default:
        ClusterMessage.bytes(of: try (0...draw(6)).map { _ in try call().bytes }, log: log)
      }
    guard draw(5) == 0 else { return bytes }
    bytes.removeLast(4)
    let place = 18 + draw(bytes.count - 18)
    switch draw(3) {
    case 0: bytes[place] = UInt8(draw(256))
    case 1: bytes[place] ^= 1 << UInt8(draw(8))
    default: bytes.insert(UInt8(draw(256)), at: place)
    }
    bytes.append(littleEndian: Checksum.crc32c(bytes.span))
    return bytes
  }

  private mutating func commit() -> CommitID {
    // One of a hundred comes before the log does.
    CommitID(id: UUID(), base: draw(100) == 0 ? sequence : sequence - 1)
  }

  private mutating func version() -> SchemaVersion? {
    draw(4) == 0 ? nil : SchemaVersion(1, UInt32(sequence / 150) + UInt32(draw(2)), 0)
  }

  private mutating func stability() -> SchemaStability { [.released, .draft, .bridge][draw(3)] }

  private mutating func record() -> AppendRequest.Record {
    let type = draw(3)
    // Mostly one shape for each type and one stability.
    let shape = shapes[draw(8) == 0 ? draw(3) : type]
    return AppendRequest.Record(
      type: ExactText(["A", "B", "C"][type]), version: version(), shape: draw(4) == 0 ? nil : shape,
      stability: draw(8) == 0 ? stability() : .released, oldestReader: draw(3) == 0 ? version() : nil)
  }

  private mutating func payload(of record: AppendRequest.Record) -> [UInt8] {
    let mark = UInt8(draw(20))
    guard let shape = record.shape else { return [0xa1, 0x64] + Array("mark".utf8) + [mark] }
    return shape == shapes[1] ? [0x81, 0x61, 0x61 + mark] : [0x81, mark]
  }

  private mutating func stream() -> StreamName { StreamName("s\(draw(5))") }

  private mutating func expectation() -> Expected {
    switch draw(20) {
    case 0: .noStream
    case 1: .exists
    case 2: .revision(Revision(UInt64(draw(20))))
    default: .any
    }
  }

  private mutating func tags() -> [EventTag] { (0..<draw(3)).map { _ in EventTag("t\(draw(9))") } }

  private mutating func query() -> SharedQuery {
    SharedQuery(
      (0..<draw(3)).map { _ in
        var types: Set<SharedQuery.StoredType>?
        if draw(2) == 0 {
          types = [.init(name: ExactText("A"), versions: .all)]
          if let version = version() { types?.insert(.init(name: ExactText("B"), versions: .only(version))) }
        }
        return SharedQuery.Item(
          types: types, newerThan: draw(3) == 0 ? version() : nil, tags: Set(tags()).sorted())
      })
  }

  private mutating func call() throws -> SharedCall {
    if let copy = calls.randomElement(using: &random), draw(8) == 0 { return copy }
    var request = AppendRequest(time: 0)
    for _ in 0...draw(3) {
      request.add(stream(), expecting: expectation())
      for _ in 0..<draw(3) {
        let record = record()
        var event = AppendRequest.Event(record: record, payload: payload(of: record))
        event.tags = tags()
        if draw(6) == 0 {
          event.id = UUID(uuidString: "00000000-0000-0000-0000-00000000000\(draw(9))")
        }
        request.add(event)
      }
    }
    if draw(3) == 0 {
      request.conditions = (0...draw(2)).map { _ in
        query().condition(after: draw(2) == 0 ? Position(UInt64(1 + draw(Int(2 * sequence)))) : nil)
      }
    }
    let call = try SharedCall(request, commit())
    calls.append(call)
    return call
  }

  private mutating func change() -> LogChange {
    let work: LogChange.Work =
      switch draw(9) {
      case 0: .limit(.close(stream()))
      case 1, 2, 7: .limit(.reopen(stream()))
      case 6: .limit(.truncate([(stream(), draw(2) == 0 ? nil : Revision(UInt64(draw(9))))]))
      case 3: .erase((0...draw(3)).map { _ in Position(UInt64(1 + draw(Int(2 * sequence)))) }.sorted())
      case 4:
        .retain(RetentionRule(streamPrefix: "s", maximumCount: UInt64(1 + draw(9))), isRemoved: draw(3) == 0)
      case 5: .limit(.truncate([(stream(), Revision(0))]))
      default:
        .roll(
          RolloutStep(
            draw(3) == 0 ? .contract : .activate, SchemaVersion(1, UInt32(sequence / 150), 0), stability()))
      }
    return LogChange(work, author: "test", reason: "any")
  }
}
