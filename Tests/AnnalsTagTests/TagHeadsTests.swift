import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// The heads of tags in a writer's memory.
@Suite struct TagHeadsTests {
  /// Texts that share long prefixes, are prefixes of each other, or are long.
  private static func tag(_ number: Int) -> EventTag {
    switch number % 4 {
    case 0: EventTag("course", number)
    case 1: EventTag("a-rather-long-name-of-a-tag:\(number / 8)\(String(repeating: "0", count: number % 7))")
    case 2: EventTag(String(String(number).reversed()))
    default: EventTag("\(number % 16):\(String(repeating: "ü", count: 1 + number % 60))\(number)")
    }
  }

  private static func found(
    _ batch: [EventTag], _ heads: inout TagHeads, _ table: Table, _ reader: StoreReader
  ) throws -> [Int] {
    let tags = batch.map { HashedTag($0) }
    var found: [Int] = []
    try heads.find(tags.span, &found, in: table, reader)
    return found
  }

  @Test(arguments: RunLength.seeds(3))
  func `random batches give the links and rows of a model, with heads from memory and from rows`(
    seed: UInt64
  ) throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    try EventLog(at: place.url).append(
      [NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: ["first"])], to: "events"
    )
    let crafted = CraftedTags(url: place.url)
    var random = SeededGenerator(seed: seed)
    var model: [EventTag: TagHead] = [:]
    var heads = TagHeads()
    var position: UInt64 = 1
    for round in 0..<24 {
      let at: Comment = "seed \(seed), round \(round)"
      if Int.random(in: 0..<6, using: &random) == 0 { heads = TagHeads() }
      let count = [1, 7, 300, 2_500].randomElement(using: &random) ?? 1
      let known = 1_000 * (1 + round / 4)
      // The same tag may come several times in a batch.
      let batch = (0..<count).map { _ in Self.tag(Int.random(in: 0..<known, using: &random)) }
      try crafted.extend(&heads) { heads, table, reader in
        let isTogether = Bool.random(using: &random)
        let slots = isTogether ? try Self.found(batch, &heads, table, reader) : []
        for (number, tag) in batch.enumerated() {
          position += 1
          let (ordinal, links) =
            try isTogether
            ? heads.extend(slots[number], to: position, index: number % 3)
            : heads.extend(
              tag, StreamHash(tag.text.utf8.span), to: position, index: number % 3, in: table, reader)
          var expected = EntryLinks()
          if model[tag] == nil {
            model[tag] = TagHead(beginningAt: position, index: number % 3)
          } else {
            expected = model[tag]?.extend(to: position) ?? EntryLinks()
          }
          #expect(ordinal == model[tag]?.ordinal, at)
          #expect(links == expected, at)
        }
      }
      for tag in Set(batch).shuffled(using: &random).prefix(20) {
        var row: [UInt8] = []
        model[tag]?.write(to: &row)
        #expect(try crafted.row(tag) == row, at)
      }
    }
    // Heads as they are in memory, and without it.
    try crafted.extend(&heads) { (heads, table, reader) throws in
      for (tag, head) in model {
        let hash = StreamHash(tag.text.utf8.span)
        #expect(try heads.head(of: tag, hash, in: table, reader) == head, "seed \(seed), \(tag)")
        #expect(try reader.tagHead(of: tag, in: table) == head, "seed \(seed), \(tag)")
      }
    }
  }

  @Test(arguments: RunLength.seeds(5))
  func `slots are sorted by their texts, whether their order is known or not`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var texts = TagTexts()
    var order = TagOrder()
    var tags: [EventTag] = []
    for round in 0..<30 {
      for _ in 0..<([0, 1, 40, 900].randomElement(using: &random) ?? 0) {
        // Each text once: the number is in it.
        let tag = EventTag("\(Self.tag(Int.random(in: 0..<500, using: &random))):\(tags.count)")
        texts.append(tag.text.utf8.span)
        tags.append(tag)
      }
      let count = min(tags.count, [0, 1, 2, 30, 2_000].randomElement(using: &random) ?? 0)
      var slots = Array(tags.indices.shuffled(using: &random).prefix(count))
      let expected = slots.sorted { tags[$0] < tags[$1] }
      order.sort(&slots, texts)
      #expect(slots == expected, "seed \(seed), round \(round)")
      order.learn(texts)
    }
  }
}
