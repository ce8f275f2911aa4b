import Foundation
import Testing

@testable import Annals
@testable import AnnalsMaintenance
@testable import AnnalsSubscriptions

/// Damaged pages of the files of consumers and of snapshots.
@Suite struct FileNextToLogTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func open() throws -> EventStore<VaultPlanV1> {
    try EventStore(at: place.url, plan: VaultPlanV1.self, options: .relaxedCommits)
  }

  /// Calls `body` after each of several damages of each page, and puts the file back afterwards.
  private func damaging(_ name: String, _ body: () throws -> Void) throws {
    let file = place.url.appendingPathComponent("views/\(name)")
    let whole = try Data(contentsOf: file)
    let pageSize = 4096
    // Kind of the page, the ends of its free part, and where its first row begins.
    for offset in [10, 12, 14, 16] {
      for page in 2..<(whole.count / pageSize) {
        for mask in [0x02, 0xff] as [UInt8] {
          var bytes = whole
          bytes[page * pageSize + offset] ^= mask
          try bytes.write(to: file)
          try body()
        }
      }
    }
    try whole.write(to: file)
  }

  @Test("a damaged page of snapshots costs a fold, and verify finds it")
  func snapshots() async throws {
    do {
      let store = try open()
      for stream in 0..<30 {
        try await store.append((1...12).map { .deposited(.init(amount: $0)) }, to: "vault-\(stream)")
        _ = try store.load(Vault.self, from: "vault-\(stream)")
      }
    }
    var folds = 0
    try damaging("snapshots.mdb") {
      let findings = try EventLog.verify(place.url).findings
      let store = try open()
      for stream in [0, 17, 29] {
        let loaded = try store.load(Vault.self, from: "vault-\(stream)")
        #expect(loaded.state.balance == 78)
        if loaded.folded > 2 {
          folds += 1
          #expect(findings.contains { $0.place == "views/snapshots.mdb" && $0.repair == .rebuild })
        }
      }
    }
    #expect(folds > 0)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test("a damaged page of consumers is an error of its own, and verify finds it")
  func consumers() async throws {
    let expected: Checkpoint?
    do {
      let store = try open()
      try await store.append((1...12).map { .deposited(.init(amount: $0)) }, to: "vault")
      var options = ProcessingOptions()
      options.endsAtHead = true
      options.poison = .deadLetter(after: 1)
      for name in (0..<20).map({ "consumer-\($0)" }) {
        try await store.process(name, options: options) { element in
          if element.entry.position.rawValue == 3 { throw ProcessingTests.Refused() }
        }
      }
      expected = try store.checkpoint(of: "consumer-7")
    }
    #expect(expected?.position == 12)
    var errors = 0
    try damaging("consumers.mdb") {
      let findings = try EventLog.verify(place.url).findings
      let store = try open()
      do throws(AnnalsError) {
        let found = try store.checkpoint(of: "consumer-7")
        #expect(found == expected)
      } catch {
        errors += 1
        #expect(error.code == .damaged)
        #expect(findings.contains { $0.place == "views/consumers.mdb" && $0.repair == .remove })
      }
    }
    #expect(errors > 0)
    #expect(try EventLog.verify(place.url).isClean)
  }
}
