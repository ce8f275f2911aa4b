import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsMaintenance

/// Damaged pages of `keys.mdb`.
@Suite struct DamagedKeyFileTests {
  @Test func `a damaged page is named as damage, and not taken for an older file`() async throws {
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("customers.annals")
    // Keys stay open as long as their value.
    func open() throws -> EventStore<CustomerPlan> {
      var options = StoreOptions()
      options.keys = SubjectKeys()
      return try EventStore(at: url, plan: CustomerPlan.self, options: options)
    }
    do {
      let store = try open()
      try await store.append(
        (0..<120).map { .registered(.init(customerID: "c\($0)", name: "Ada", phone: nil, city: "Bern")) },
        to: "customers")
    }
    let file = url.appendingPathComponent("keys.mdb")
    let whole = try Data(contentsOf: file)
    var errors = 0
    // The kind of the page, the ends of its free part, and where its first row begins.
    for offset in [10, 12, 14, 16] {
      for page in 2..<(whole.count / 4096) {
        var bytes = whole
        bytes[page * 4096 + offset] ^= 0xff
        try bytes.write(to: file)
        let findings = try EventLog.verify(url).findings
        do {
          let events = try Customers.events(try open())
          #expect(events.count == 120)
          #expect(
            events.allSatisfy { if case .registered(let event) = $0 { event.name == "Ada" } else { false } })
        } catch let error as AnnalsError {
          errors += 1
          #expect(error.code == .damaged)
          #expect(findings.contains { $0.place == "keys.mdb" && $0.repair == .restore })
        }
      }
    }
    #expect(errors > 0)
    try whole.write(to: file)
    #expect(try EventLog.verify(url).isClean)
  }
}
