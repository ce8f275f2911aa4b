import Annals
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AnnalsMigration

/// Passes during which a feature comes into use that the new generation must know of from its start.
@Suite struct FeatureDuringPassTests {
  private let place: TemporaryStore
  private let log: EventLog

  init() async throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
    log = try EventLog(at: place.url)
    for number in 0..<60 {
      try await log.append([Self.event([])], to: StreamName("s\(number % 3)"))
    }
  }

  private static func event(_ attachments: [Annals.Attachment]) -> NewEntry {
    NewEntry(
      type: "Noted", version: nil, payload: Payload(stored: [0xa0]), attachments: attachments)
  }

  /// Runs a pass in which `body` is called once, after some entries were copied.
  private func pass(
    _ unfinished: MigrationOptions.Unfinished? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> (report: MigrationReport, begun: Int) {
    let calls = Mutex((begun: 0, isDone: false))
    var options = MigrationOptions()
    if let unfinished { options.unfinished = unfinished }
    (options.batch, options.durableBatch) = (10, 10)
    options.atPoint = { point in
      if point == .named { calls.withLock { $0.begun += 1 } }
      guard point == .batchCommitted, calls.withLock({ !$0.isDone }) else { return }
      calls.withLock { $0.isDone = true }
      let isDone = DispatchSemaphore(value: 0)
      Task {
        do { try await body() } catch { Issue.record(error) }
        isDone.signal()
      }
      isDone.wait()
    }
    let report = try await log.compact(options).report()
    return (report, calls.withLock { $0.begun })
  }

  @Test func `a pass begins again when the first stream is closed meanwhile`() async throws {
    let (report, begun) = try await pass { [log] in
      _ = try await log.close("s1", by: "jane", because: "done")
    }
    #expect(report.isDone && begun == 2)
    let error = #expect(throws: AnnalsError.self) { try log.append([Self.event([])], to: "s1") }
    #expect(error?.code == .streamClosed)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try EventLog.inspect(place.url).requires.contains("streams"))
  }

  @Test func `a pass begins again when the first attachment is stored meanwhile`() async throws {
    let content = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let photo = try log.attach(content)
    let (report, begun) = try await pass { [log] in
      _ = try await log.append([Self.event([photo])], to: "s1")
    }
    #expect(report.isDone && report.entries == 61 && begun == 2)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try EventLog.inspect(place.url).requires.contains("attachments"))
    #expect(try log.read { try $0.entry(at: 61)?.attachments } == [photo.hash].compactMap { $0 })
  }

  /// Stops a pass after some entries were copied.
  private func interrupt() async throws {
    var options = MigrationOptions()
    (options.batch, options.durableBatch) = (10, 10)
    let (batches, batch) = AsyncStream.makeStream(of: Void.self)
    let isStopped = DispatchSemaphore(value: 0)
    options.atPoint = { point in
      guard point == .batchCommitted else { return }
      batch.yield()
      isStopped.wait()
      isStopped.signal()
    }
    let run = try log.compact(options)
    for await _ in batches { break }
    run.stop()
    isStopped.signal()
    let stopped = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(stopped?.code == .cancelled)
  }

  @Test func `a pass that must be continued does not begin again`() async throws {
    try await interrupt()
    let error = await #expect(throws: AnnalsError.self) {
      try await pass(.mustBeThere) { [log] in _ = try await log.close("s1", by: "jane", because: "done") }
    }
    #expect(error?.code == .busy)
    #expect(try await pass {}.report.isDone)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a pass that must be continued and cannot go on keeps what it has left`() async throws {
    try await interrupt()
    let left = try #require(try EventLog.inspect(place.url).pass)
    _ = try await log.close("s1", by: "jane", because: "done")
    for _ in 0..<2 {
      let error = await #expect(throws: AnnalsError.self) { try await pass(.mustBeThere) {} }
      #expect(error?.code == .verifyFailed)
      #expect(error?.message.contains("begin the pass again") == true)
      #expect(try EventLog.inspect(place.url).pass == left)
    }
    let (report, begun) = try await pass {}
    #expect(report.isDone && report.resumedAt == 0 && begun == 1)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: [false, true])
  func `a pass that must be continued is wrong use if there is none`(isRehearsal: Bool) async throws {
    var options = MigrationOptions()
    (options.unfinished, options.isRehearsal) = (.mustBeThere, isRehearsal)
    let error = await #expect(throws: AnnalsError.self) { try await log.compact(options).report() }
    #expect(error?.code == .wrongUse)
  }

  @Test func `a pass that nothing disturbs begins once`() async throws {
    let (report, begun) = try await pass { [log] in
      _ = try await log.append([Self.event([])], to: "s1")
    }
    #expect(report.isDone && begun == 1)
  }
}
