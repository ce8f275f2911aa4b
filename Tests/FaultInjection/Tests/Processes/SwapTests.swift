import Annals
import FaultPrograms
import Foundation
import Testing

/// An attacker that exchanges a store's names for others between a check and a use.
@Suite(.serialized) struct SwapTests {
  private static let rounds = RunLength.count("ANNALS_SWAPS", usual: 1_000)
  private static let locks = ["write.lock", "queue.lock", "open.lock", "log-000001.lease"]

  /// A folder next to the store, to which planted names lead. Nothing in it may change.
  private struct Outside {
    let folder: URL
    private let before: [String: Data]

    init(_ temporary: TemporaryStore) throws {
      folder = temporary.directory.appendingPathComponent("outside")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      for name in SwapTests.locks + ["CURRENT", "log-000001.mdb", "log-000001.mdb-lock"] {
        try Data(repeating: UInt8(ascii: "p"), count: 100_000).write(to: folder.appendingPathComponent(name))
      }
      before = try Self.content(folder)
    }

    private static func content(_ folder: URL) throws -> [String: Data] {
      var content: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        content[name] = try Data(contentsOf: folder.appendingPathComponent(name))
      }
      return content
    }

    /// Whether every file has its original bytes, and no other file exists.
    func isUntouched() throws -> Bool { try Self.content(folder) == before }
  }

  /// Lets a process open, append and close while another one exchanges names of `directory`.
  ///
  /// - Returns: The outcomes of the rounds.
  private func run(_ temporary: TemporaryStore, swapping names: [String], in directory: URL) throws -> String
  {
    let swapper = try Child([Child.program, "swap", directory.path, temporary.path("stop")] + names)
    #expect(swapper.speaks())
    let victim = try Child.run("tolerate", temporary.url.path, "\(Self.rounds)")
    #expect(try victim.wait() == .exit(0))
    try Data().write(to: URL(fileURLWithPath: temporary.path("stop")))
    #expect(try swapper.wait() == .exit(0), "\(swapper.text())")
    let text = victim.text()
    print("swaps of \(names): \(text)")
    // It was caught in both states.
    #expect(text.contains("appended") && text.contains(","), "\(text)")
    return text
  }

  @Test func `a store whose name is exchanged for a link to elsewhere changes nothing there`() throws {
    let temporary = try TemporaryStore()
    try temporary.create()
    let outside = try Outside(temporary)
    let planted = temporary.directory.appendingPathComponent("orders.annals.planted")
    try FileManager.default.createSymbolicLink(at: planted, withDestinationURL: outside.folder)
    let ends = try run(temporary, swapping: ["orders.annals"], in: temporary.directory)
    #expect(ends.contains("notAStore"))
    #expect(try outside.isUntouched())
    #expect(try EventLog.verify(temporary.url).isClean)
  }

  @Test(arguments: [["CURRENT"], locks])
  func `files of a store that are exchanged for links to elsewhere change nothing there`(names: [String])
    throws
  {
    let temporary = try TemporaryStore()
    try temporary.create()
    let outside = try Outside(temporary)
    for name in names {
      try FileManager.default.createSymbolicLink(
        at: temporary.url.appendingPathComponent(name + ".planted"),
        withDestinationURL: outside.folder.appendingPathComponent(name))
    }
    _ = try run(temporary, swapping: names, in: temporary.url)
    #expect(try outside.isUntouched())
    #expect(try EventLog.verify(temporary.url).isClean)
  }

  @Test func `an open by the name alone is led elsewhere within the same time`() throws {
    let temporary = try TemporaryStore()
    try temporary.create()
    let outside = try Outside(temporary)
    try FileManager.default.createSymbolicLink(
      at: temporary.url.appendingPathComponent("write.lock.planted"),
      withDestinationURL: outside.folder.appendingPathComponent("write.lock"))
    let swapper = try Child([Child.program, "swap", temporary.url.path, temporary.path("stop"), "write.lock"])
    #expect(swapper.speaks())
    let end = ContinuousClock.now + .seconds(60)
    repeat {
      for _ in 0..<Self.rounds {
        let file = unsafe open(temporary.url.path + "/write.lock", O_RDWR)
        let count = unsafe write(file, "x", 1)
        #expect(count == 1)
        close(file)
      }
      // The other process may have had no processor yet.
    } while try outside.isUntouched() && ContinuousClock.now < end
    try Data().write(to: URL(fileURLWithPath: temporary.path("stop")))
    #expect(try swapper.wait() == .exit(0))
    #expect(try !outside.isUntouched())
  }
}
