import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsSubscriptions

@Schema(1, 0, 0) enum TracesV1 {
  @Record struct Noted { @Field(tag: "note") var code: String; var text: String }
}

@Schema(2, 0, 0) enum TracesV2 {
  @Record struct Noted { @Field(tag: "note") var code: String; var text: String; var size: Int }
}

enum FirstTraces: SchemaMigrationPlan {
  static var stages: MigrationChain<TracesV1, TracesV1> {}
}

enum Traces: SchemaMigrationPlan {
  static var stages: MigrationChain<TracesV1, TracesV2> {
    MigrationStage.custom(fromVersion: TracesV1.self, toVersion: TracesV2.self) {
      Upcast(\.noted, to: \.noted) { old, _ in
        if old.text.count > 10 { throw TooLong(text: old.text) }
        return .init(code: old.code, text: old.text, size: old.text.count)
      }
    }
  }
}

/// An error that has the text of an event.
private struct TooLong: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}

/// Erased bytes in the places that a store keeps besides the log.
@Suite struct ErasedTraceTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func files(with bytes: [UInt8]) throws -> [String] {
    let files = FileManager.default.enumerator(at: place.url, includingPropertiesForKeys: nil)
    var found: [String] = []
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      if data.range(of: Data(bytes)) != nil { found.append(file.lastPathComponent) }
    }
    return found.sorted()
  }

  @Test func `no subscription, dump, salvage or explanation has anything of an erased event`() async throws {
    let customers = try ErasedCustomers()
    let store = try customers.store()
    let id = UUID()
    try await customers.fill(store, id: id)
    func texts() async throws -> String {
      var text = ""
      var lines = try EntryLines(store.log)
      while let page = try lines.nextPage() { text += String(decoding: page, as: UTF8.self) }
      var salvage = try SalvageLines(storeAt: customers.place.url)
      while let page = try salvage.nextPage() { text += String(decoding: page, as: UTF8.self) }
      for position in 1...7 as ClosedRange<UInt64> {
        text += try store.explain(Position(position)).description
      }
      for try await element in store.subscribe(from: .beginning) {
        text += "\(element.entry)"
        if element.entry.position == 7 { break }
      }
      for try await element in store.log.subscribe(from: .beginning) {
        text += "\(element.entry)"
        if element.entry.position == 7 { break }
      }
      return text.lowercased()
    }
    let traces = [ErasedCustomers.secret.lowercased(), id.uuidString.lowercased()]
    let before = try await texts()
    for trace in traces { #expect(before.contains(trace)) }
    try store.erase(stream: "customer-1", by: "jane", because: "request")
    let after = try await texts()
    for trace in traces { #expect(!after.contains(trace)) }
    #expect(after.contains("ann"), "other events are there")
  }

  @Test func `erased bytes are in no dead letter, quarantine note, journal, index of ids or of tags`()
    async throws
  {
    let secret = "Wilhelmina Zuckerberg"
    let code = "code-of-wilhelmina"
    let ids = [UUID(), UUID()]
    do {
      var options = StoreOptions()
      options.idempotency = .always
      let store = try EventStore(at: place.url, plan: FirstTraces.self, options: options)
      for id in ids {
        // A small commit, which the journal has too.
        try await store.append(
          [NewEvent(.noted(.init(code: code, text: secret)), id: id, metadata: ["who": .text(secret)])],
          to: "notes")
      }
      try await store.append([.noted(.init(code: "other", text: "short"))], to: "others")
      try await store.process(
        "reader", options: ProcessingOptions(poison: .deadLetter(after: 1), endsAtHead: true)
      ) { element in
        guard case .noted(let note) = element.entry.event, note.text == secret else { return }
        throw TooLong(text: note.text)
      }
      #expect(try store.deadLetters("reader").count == 2)
      #expect(try !files(with: ids[0].bytes).isEmpty && !files(with: Array(code.utf8)).isEmpty)
    }
    do {
      var options = StoreOptions()
      options.unreadable = .quarantine { _ in }
      options.activating = true
      let store = try EventStore(at: place.url, plan: Traces.self, options: options)
      var pass = MigrationOptions()
      pass.unreadable = .quarantine
      #expect(try await store.migrate(pass).report().quarantined == 2)
      #expect(try !files(with: Array(secret.utf8)).isEmpty)
      #expect(try store.erase([1, 2], by: "jane", because: "request").entries == 2)
      _ = try await store.log.compact().report()
    }
    _ = try EventLog.discardPrevious(place.url)
    for bytes in [Array(secret.utf8), Array(code.utf8), ids[0].bytes, ids[1].bytes] {
      #expect(try files(with: bytes) == [])
    }
    #expect(try EventLog(at: place.url).erasures().map(\.remains) == [[]])
    #expect(try EventLog.verify(place.url).isClean)
  }
}
