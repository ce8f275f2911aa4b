import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// Limits of streams in a pass that moves entries to other streams, and so gives streams other ids.
@Suite struct MovedLimitTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  @Test func `limits follow the names of streams, and hidden and erased events stay away`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for name in ["user 0", "athlete-0", "else", "spare 0"] as [StreamName] {
        try await store.append((1...4).map { .weighed(.init(n: $0)) }, to: name)
      }
      try await store.truncate("user 0", before: 3)
      try await store.close("athlete-0", by: "jane", because: "done")
      try await store.truncate("else", before: 2)
      try await store.close("else")
      try await store.log.setRetention(RetentionRule(streamPrefix: "other", maximumCount: 1))
      try store.log.erase([13], by: "jane", because: "request")
    }
    try await place.migrate(ClubSecond.self)
    #expect(try EventLog.verify(place.url).isClean)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    let (athlete, other) = try store.read { snapshot in
      (try snapshot.state(of: "athlete-0"), try snapshot.state(of: "else"))
    }
    // It begins with the entries of "user 0" now, so its id is another one.
    #expect(athlete == StreamState(revision: 11, oldest: 0, isClosed: true))
    #expect(other == StreamState(revision: 3, oldest: 2, isClosed: true))
    var counts: [StreamName: Int] = [:]
    try store.read { snapshot in
      var entries = try snapshot.entries()
      while let entry = try entries.next() { counts[entry.stream, default: 0] += 1 }
    }
    #expect(counts == ["athlete-0": 1 + 4 + 3, "else": 2])
    for name in ["athlete-0", "else"] as [StreamName] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([.weighed(.init(n: 9))], to: name)
      }
      #expect(error?.code == .streamClosed)
    }
    try await store.reopen("athlete-0")
    #expect(try await store.append([.weighed(.init(n: 9))], to: "athlete-0").revisions == [12])
    #expect(try store.log.retention().count == 1)
    #expect(try store.log.erasures().first?.positions == [13...13])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a closed stream that gets another name is closed under that, and a merged one is open`()
    async throws
  {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for name in ["user 3", "user 4", "spare 4", "user 6", "club"] as [StreamName] {
        try await store.append([.weighed(.init(n: 1)), .lifted(.init(n: 2, sets: 1))], to: name)
      }
      for name in ["user 3", "user 4", "club"] as [StreamName] { try await store.close(name) }
    }
    try await place.migrate(ClubSecond.self)
    do {
      let store = try EventStore(at: place.url, plan: ClubSecond.self)
      let names: [StreamName] = ["athlete-3", "athlete-4", "athlete-6", "weights", "lifts"]
      let closed = try store.read { snapshot in try names.map { try snapshot.state(of: $0)?.isClosed } }
      #expect(closed == [true, false, false, true, true])
      try await store.reopen("athlete-3")
      try await store.append([.weighed(.init(n: 9))], to: "athlete-3")
    }
    #expect(try EventLog.verify(place.url).isClean)
    // The next pass does not close it again.
    try await place.migrate(ClubFourth.self)
    let store = try EventStore(at: place.url, plan: ClubFourth.self)
    #expect(try store.read { try $0.state(of: "athlete-3")?.isClosed } == false)
  }
}
