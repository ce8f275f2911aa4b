import AnnalsCoding
import Foundation
import Testing

@testable import AnnalsCluster

/// Names, addresses, versions and settings, without a server.
@Suite struct BrokerTests {
  @Test(
    arguments: [
      ("2.9.10", true), ("2.10.26", true), ("2.10.27", false), ("2.11.0-RC.2", false), ("3.0.0", false),
      ("nightly", true), ("", true), ("2.10", true),
    ])
  func `servers before 2.10.27, and those whose version cannot be read, should be upgraded`(
    _ version: String, _ isOld: Bool
  ) {
    let server = ServerFacts(name: "n0", version: version, hasJetStream: true, longestMessage: 1)
    let warnings = BrokerAdvice.warnings(servers: [server], replicas: 3)
    #expect(warnings.contains { $0.contains("upgrade") } == isOld)
    #expect(warnings.contains(BrokerAdvice.durability) == isOld)
  }

  @Test func `one replica is a warning that names the settings of a durable append`() {
    let server = ServerFacts(name: "n0", version: "2.10.27", hasJetStream: true, longestMessage: 1)
    let warnings = BrokerAdvice.warnings(servers: [server, server], replicas: 1)
    #expect(warnings.count == 2)
    #expect(warnings[0].contains("1 replica:"))
    #expect(warnings[1].contains("sync_interval: always"))
    #expect(warnings[1].contains("3 replicas"))
    #expect(BrokerAdvice.warnings(servers: [server], replicas: 3).isEmpty)
  }

  @Test func `the place of a delivered message is read from its reply subject`() {
    let old = "$JS.ACK.annals-a.CnR1.1.12.7.1669417200123456789.3"
    let new = "$JS.ACK._.hash.annals-a.CnR1.1.12.7.1669417200123456789.3"
    for subject in [old, new, new + ".token"] {
      #expect(DeliveryPlace(subject)?.sequence == 12)
      #expect(DeliveryPlace(subject)?.count == 7)
      #expect(DeliveryPlace(subject)?.consumer == "CnR1")
      #expect(DeliveryPlace(subject)?.nanoseconds == 1_669_417_200_123_456_789)
    }
    for other in ["", "$JS.FC.annals-a.CnR1.x", "_INBOX.a", "$JS.ACK.a.b.1.x.7.1.3", old + ".tenth"] {
      #expect(DeliveryPlace(other) == nil)
    }
  }

  @Test func `the greeting of a server is read`() {
    let line =
      #"INFO {"server_id":"X","server_name":"n1","version":"2.9.10","jetstream":true,"max_payload":8} "#
    let facts = ServerGreeting.facts(ArraySlice(Array(line.utf8)))
    #expect(facts == ServerFacts(name: "n1", version: "2.9.10", hasJetStream: true, longestMessage: 8))
    for other in ["", "INFO ", "INFO {", "HTTP/1.1 400", "INFO {}"] {
      #expect(ServerGreeting.facts(ArraySlice(Array(other.utf8))) == nil)
    }
  }

  @Test(
    arguments: [
      ("nats://127.0.0.1:4222", "127.0.0.1", 4222), ("tls://db.example:1", "db.example", 1),
      ("host", "host", 4222), ("nats://user:a@b@host:9", "host", 9), ("nats://[::1]:5", "::1", 5),
      ("[::1]", "::1", 4222),
    ])
  func `addresses of servers are read`(_ text: String, _ host: String, _ port: Int) {
    #expect(ServerPlace(text)?.host == host)
    #expect(ServerPlace(text)?.port == UInt16(port))
  }

  @Test(arguments: ["", "nats://", "http://host", "host:0", "host:x", "host:70000", "[::1", "nats://:4222"])
  func `an address that is none is refused without being shown`(_ text: String) {
    #expect(ServerPlace(text) == nil)
    do throws(AnnalsError) {
      _ = try BrokerAddress(servers: [text], name: "a", replicas: 3, credentials: nil, security: nil)
      Issue.record("accepted")
    } catch {
      #expect(error.code == .wrongUse)
      #expect(text.isEmpty || text == "nats://" || !error.message.contains(text))
    }
  }

  @Test(arguments: [0, 2, 4, 6, -1])
  func `only 1, 3 and 5 servers keep a log`(_ replicas: Int) {
    #expect(throws: AnnalsError.self) {
      try BrokerAddress(servers: ["h"], name: "a", replicas: replicas, credentials: nil, security: nil)
    }
  }

  @Test(arguments: ["", "a.b", "a b", "a*", ">", "ä", String(repeating: "a", count: 65), "a\n"])
  func `names of logs that would be patterns or several words at the broker are refused`(_ name: String) {
    #expect(throws: AnnalsError.self) { try LogName(name) }
  }

  @Test func `a stream that could lose or renumber messages cannot keep a log`() throws {
    let name = try LogName("orders")
    var good = StreamFacts()
    good.subjects = ["annals.orders"]
    #expect(StreamRules.faults(of: good, for: name).isEmpty)
    let changes: [(inout StreamFacts) -> Void] = [
      { $0.subjects = ["annals.>"] }, { $0.keepsUntilLimits = false }, { $0.isInFiles = false },
      { $0.hasLimits = true }, { $0.refusesWhenFull = false }, { $0.hasSources = true },
      { $0.isSealed = true },
      { $0.answersPublishes = false },
    ]
    for change in changes {
      var facts = good
      change(&facts)
      #expect(StreamRules.faults(of: facts, for: name).count == 1)
      #expect(throws: AnnalsError.self) { try StreamRules.check(facts, for: name) }
    }
  }
}
