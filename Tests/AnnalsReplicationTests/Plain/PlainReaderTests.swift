import AnnalsCoding
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsReplication

/// The reader of plain calls takes none that the reader of all calls would not take, and reads the same.
@Suite struct PlainReaderTests {
  private static let time: Int64 = 1_700_000_000_000_000

  private static func reader() -> PlainReader { PlainReader(PlainCalls([]) { _ in [] }) }

  /// Reads the bytes of a call with both readers, and compares.
  ///
  /// - Returns: Whether it is a plain call.
  private static func compare(_ bytes: [UInt8], _ plain: inout PlainReader, _ shapes: ShapeMemory) throws
    -> Bool
  {
    let count = plain.calls.count
    let known = SharedCall(bytes, time, shapes).call
    var reader = ByteReader(bytes.span)
    guard let commit = try? CommitID(&reader) else {
      #expect(known == nil)
      return false
    }
    let start = reader.offset
    guard plain.take(&reader, time, shapes) else {
      #expect(reader.offset == start && plain.calls.count == count)
      return false
    }
    #expect(plain.calls.count == count + 1)
    guard reader.remaining == 0 else {
      #expect(known == nil)
      return false
    }
    let (request, other) = try need(known)
    let own = plain.calls.call(at: count)
    #expect(commit == other)
    #expect(try SharedCall(own, commit).bytes == SharedCall(request, commit).bytes)
    #expect(own.sharedTime == time && own.bytes == request.bytes && own.records == request.records)
    #expect(own.items.map(\.time) == request.items.map(\.time))
    return true
  }

  @Test(arguments: RunLength.seeds(2)) func `both readers agree on calls and on changed bytes`(
    seed: UInt64
  ) throws {
    print("plain reader with seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var calls = DeskCalls(seed: seed, hasNotes: false)
    var plain = Self.reader()
    let shapes = ShapeMemory()
    var found = 0
    for number in 0..<400 {
      let bytes = try calls.next().bytes
      if try Self.compare(bytes, &plain, shapes) { found += 1 }
      for _ in 0..<10 {
        var changed = bytes
        for _ in 0...(random.next() % 3) {
          changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        if random.next() % 4 == 0 { changed.removeLast(Int(random.next() % UInt64(changed.count))) }
        _ = try Self.compare(changed, &plain, shapes)
      }
      if number % 100 == 99 { plain = Self.reader() }
    }
    #expect(found > 200)
  }

  @Test func `a call that is taken back leaves nothing of its events`() throws {
    var plain = Self.reader()
    let shapes = ShapeMemory()
    var calls = DeskCalls(seed: 1, hasNotes: false)
    var kept: [[UInt8]] = []
    for number in 0..<200 {
      let (call, mark) = (try calls.next(), plain.mark)
      var reader = ByteReader(call.bytes.span)
      _ = try CommitID(&reader)
      guard plain.take(&reader, Self.time, shapes) else { continue }
      if number % 3 == 0 { plain.keep(to: mark) } else { kept.append(call.bytes) }
    }
    #expect(plain.calls.count == kept.count && kept.count > 20)
    for (index, bytes) in kept.enumerated() {
      let commit = try need(SharedCall(bytes, Self.time, shapes).call).commit
      #expect(try SharedCall(plain.calls.call(at: index), commit).bytes == bytes)
    }
  }
}
