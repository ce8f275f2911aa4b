import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// Tags whose hashes in memory are the same.
@Suite struct TagCollisionTests {
  @Test func `tags with the same hash keep chains of their own, in memory and in their rows`() throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    do {
      let log = try EventLog(at: place.url)
      try log.append(
        [NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: ["first"])],
        to: "events")
    }
    let crafted = CraftedTags(url: place.url)
    let hash = StreamHash(Array("any".utf8).span)
    try crafted.extend { heads, table, reader in
      for round in 0..<9 as Range<UInt64> {
        for (index, tag) in (["x", "y", "first"] as [EventTag]).enumerated() {
          let (ordinal, links) = try heads.extend(
            tag, hash, to: 10 + 3 * round + UInt64(index), index: 0, in: table, reader)
          let isOld = tag == "first"
          #expect(ordinal == round + (isOld ? 1 : 0), "\(tag), round \(round)")
          if round > 0 { #expect(links[0] == 3) }
          #expect(try heads.head(of: tag, hash, in: table, reader)?.ordinal == ordinal)
        }
        #expect(try heads.head(of: "none", hash, in: table, reader) == nil)
      }
    }
    #expect(try crafted.row("x").prefix(3) == [10, 0, 8])
    #expect(try crafted.row("y").prefix(3) == [11, 0, 8])
    #expect(try crafted.row("first").prefix(3) == [1, 0, 9])
  }
}
