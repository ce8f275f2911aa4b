import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsReplication

/// What machines announce of their programs, and for how long it counts.
@Suite struct ProgramAnnouncementTests {
  private static func sample() -> ProgramAnnouncement {
    ProgramAnnouncement(
      log: UUID(), machine: UUID(), name: "db1", asks: true, milliseconds: 30_000,
      programs: [
        LiveProgram(version: SchemaVersion(2, 300, 1), skipsNewerTypes: true, process: 42, machine: "db1"),
        LiveProgram(version: nil, process: -7, machine: "db1"),
        LiveProgram(version: SchemaVersion(1, 0, 0), machine: "db1"),
      ])
  }

  @Test func `an announcement is read as it was written`() throws {
    let sample = Self.sample()
    #expect(try ProgramAnnouncement(sample.encoded()) == sample)
    #expect(sample.programs[0].description == "process 42 on machine db1, which reads up to 2.300.1")
  }

  @Test func `changed bytes are no announcement, or another one`() throws {
    var random = SeededGenerator(seed: RunLength.seed)
    let original = Self.sample().encoded()
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = original
      bytes.removeLast(4)
      for _ in 0...random.next() % 3 {
        let place = Int(random.next() % UInt64(bytes.count))
        if random.next().isMultiple(of: 3) {
          bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 6)))
        } else {
          bytes[place] = UInt8(truncatingIfNeeded: random.next())
        }
        if bytes.count < 8 { break }
      }
      #expect(throws: FormatFailure.self) { _ = try ProgramAnnouncement(bytes + [0, 0, 0, 1]) }
      bytes.append(littleEndian: Checksum.crc32c(bytes.span))
      do throws(FormatFailure) {
        let read = try ProgramAnnouncement(bytes)
        #expect(try ProgramAnnouncement(read.encoded()) == read)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 1_000)
    #expect(throws: FormatFailure.self) { _ = try ProgramAnnouncement([]) }
  }

  @Test func `programs count until their time is over, or their machine says that they have ended`() {
    let start = ContinuousClock.now
    var book = ProgramBook()
    var sample = Self.sample()
    book.take(sample, now: start)
    var other = Self.sample()
    other.machine = UUID()
    other.milliseconds = 1_000
    book.take(other, now: start)
    #expect(book.living(now: start).count == 6)
    #expect(book.living(now: start + .seconds(2)).count == 3)
    // Announced again, it counts for longer.
    book.take(sample, now: start + .seconds(20))
    #expect(book.living(now: start + .seconds(40)).count == 3)
    #expect(book.living(now: start + .seconds(50)).isEmpty)
    sample.programs = []
    book.take(sample, now: start + .seconds(21))
    #expect(book.living(now: start + .seconds(22)).isEmpty)
  }
}
