import Annals
import FaultPrograms
import Foundation
import Testing

/// A process with little address space, together with one without a limit.
@Suite struct MapTests {
  // The process reads its own size from /proc of Linux.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm"), "needs /proc"))
  func `a process reads and appends after another one has grown the log beyond its map`() throws {
    let temporary = try TemporaryStore()
    try temporary.create()
    let cramped = try Child.run("cramped", temporary.url.path, temporary.path("go"), "40")
    #expect(cramped.speaks(), "\(cramped.text())")
    let large = try Child.run("large", temporary.url.path, "60")
    #expect(try large.wait() == .exit(0), "\(large.text())")
    // More than the address space that the process had for its map.
    let file = temporary.url.appendingPathComponent("log-000001.mdb")
    #expect(try Data(contentsOf: file, options: .alwaysMapped).count > 60 << 20)
    try Data().write(to: URL(fileURLWithPath: temporary.path("go")))
    #expect(try cramped.wait() == .exit(0))
    #expect(cramped.text() == "!60 61\n")
    #expect(try EventLog.verify(temporary.url).entries == 61)
  }
}
