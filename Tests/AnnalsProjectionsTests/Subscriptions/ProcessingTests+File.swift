import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// The file with the checkpoints of consumers.
extension ProcessingTests {
  /// Takes the turn at writing `file` on a thread, which holds it until `free` is signalled, and returns.
  private func hold(_ file: ConsumerFile, until free: DispatchSemaphore) {
    let taken = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        let turn = try file.environment.turn()
        taken.signal()
        free.wait()
        _ = consume turn
      } catch {
        Issue.record(error)
        taken.signal()
      }
    }
    taken.wait()
  }

  @Test("a task that waits for another writer gets an error after a while, and stores once that is done")
  func blocked() async throws {
    try await append(1)
    try await run(Handled())
    let file = try store.log.createdConsumers()
    let checkpoint = try #require(try store.checkpoint(of: "mailer"))
    let free = DispatchSemaphore(value: 0)
    hold(file, until: free)
    let error = await #expect(throws: AnnalsError.self) {
      try await file.store(checkpoint, of: "other", within: .milliseconds(30))
    }
    #expect(error?.code == .busy)
    async let stored: Void = file.store(checkpoint, of: "other", within: .seconds(60))
    free.signal()
    try await stored
    #expect(try store.checkpoint(of: "other") == checkpoint)
  }

  @Test("a letter of which nothing is passed to the handler is not blamed for a busy file")
  func blamed() async throws {
    try await append(1)
    let poison = ProcessingOptions(poison: .deadLetter(after: 1), endsAtHead: true)
    try await store.process("mailer", options: poison) { _ in throw Refused() }
    var options = StoreOptions.relaxedCommits
    options.lockTimeout = .milliseconds(400)
    let other = try EventStore(at: place.url, plan: FirstMarketPlan.self, options: options)
    let free = DispatchSemaphore(value: 0)
    hold(try store.log.createdConsumers(), until: free)
    // The file is free again for a second attempt at storing.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(600)) { free.signal() }
    do throws(AnnalsError) {
      try await other.retryDeadLetters("mailer", to: [\.placed]) { _ in Issue.record("not selected") }
    } catch {
      // On a slow machine the file may be free by the first attempt.
      #expect(error.code == .busy)
    }
    let letter = try #require(try store.deadLetters("mailer").first)
    #expect(letter.attempts == 1)
    #expect(!letter.reason.contains("busy") && !letter.reason.contains("writing"), "\(letter.reason)")
  }

  @Test("rows equal the stored ones, or the damaged file is named")
  func damage() async throws {
    try await append(2)
    try await run(Handled())
    let file = try store.log.createdConsumers()
    try file.write { (transaction) throws(AnnalsError) in
      try transaction.put([1, 2, 3], "spoilt", in: file.checkpoints)
    }
    let error = #expect(throws: AnnalsError.self) { try store.checkpoint(of: "spoilt") }
    #expect(error?.code == .damaged)
    #expect(error?.details.file == "consumers.mdb")
    #expect(try store.checkpoint(of: "mailer")?.position == 2)
  }

  @Test("a file of a later format is refused")
  func laterFormat() async throws {
    try await append(1)
    do {
      let file = try store.log.createdConsumers()
      try file.write { (transaction) throws(AnnalsError) in
        try transaction.put([3, 0, 0, 0], "format", in: file.environment.table("meta"))
      }
    }
    let error = #expect(throws: AnnalsError.self) {
      try ConsumerFile.open(in: store.log.core.generation.directory, .readWrite, creating: false)
    }
    #expect(error?.code == .formatVersion)
  }

  @Test("a store that is open for reading keeps no checkpoint, and lists existing ones")
  func readOnly() async throws {
    let place = try TemporaryStore()
    do {
      let log = try place.open()
      try await log.append([.placed(1)], to: "a")
    }
    let log = try EventLog(at: place.url, options: StoreOptions(access: .readOnly))
    #expect(try log.consumers().isEmpty)
    #expect(try log.checkpoint(of: "mailer") == nil)
    let checkpoint = try await SubscriptionTests.collect(log.subscribe(from: .beginning)).last!.checkpoint
    let error = #expect(throws: AnnalsError.self) { try log.keep(checkpoint, of: "mailer") }
    #expect(error?.code == .readOnly)
  }

  @Test("rows are laid out as the format says")
  func layout() throws {
    let log = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
    let row = ConsumerRow(
      checkpoint: Checkpoint(log: log, incarnation: 1, position: 300, mark: 0x0403_0201), time: 5)
    #expect(
      row.encoded()
        == [5, 0, 0, 0, 0, 0, 0, 0] + Array(0...15) + [1, 0xac, 2, 1, 2, 3, 4])
    let bytes = row.encoded()
    #expect(try ConsumerRow(bytes.span) == row)
    let letter = DeadLetterRow(
      consumer: "c", stream: "s", reason: "r", attempts: 2, time: -1, isUnreadable: true)
    let encoded = letter.encoded()
    #expect(
      encoded == [1, 2] + Array(repeating: 255, count: 8) + [1, 99, 1, 115, 1, 114])
    #expect(try DeadLetterRow(encoded.span) == letter)
    let key = DeadLetterRow.key("c", 258, [1, 70_000])
    #expect(Array(key[16...]) == [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 1, 0x11, 0x70])
    let place = try DeadLetterRow.place(in: key.span)
    #expect(place.position == 258 && place.path == [1, 70_000])
  }
}
