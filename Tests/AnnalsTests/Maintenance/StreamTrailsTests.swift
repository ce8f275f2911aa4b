import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsVerify

/// What a scan knows of the streams that it has passed, compared with all of their entries.
struct StreamTrailsTests {
  /// All entries of a stream.
  private struct Model {
    var positions: [UInt64] = []
    var newestID: UInt64?

    /// The head that the newest entry has.
    var head: Head {
      let revision = UInt64(positions.count - 1)
      let levels = (0..<Head.levels(upTo: Revision(revision))).map { level in
        Position(positions[Int(revision - revision % Head.step(ofLevel: level + 1))])
      }
      return Head(
        id: Position(positions[0]), revision: Revision(revision),
        last: Position(positions[positions.count - 1]),
        levels: levels, newestID: newestID.map { Revision($0) })
    }
  }

  /// Passes `count` entries of `streams` streams, the lower ones more often, and compares each link.
  ///
  /// - Parameter isWhole: Whether every link must be known.
  private func run(
    streams: Int, count: Int, most: Int, missing: Int, isWhole: Bool, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var models = [Model](repeating: Model(), count: streams)
    var trails = StreamTrails(most: most)
    var (known, links) = (0, 0)
    for position in 1...UInt64(count) {
      let stream = Int.random(in: 0..<streams, using: &random) & Int.random(in: 0..<streams, using: &random)
      models[stream].positions.append(position)
      let hasID = Bool.random(using: &random)
      let revision = UInt64(models[stream].positions.count - 1)
      if hasID { models[stream].newestID = revision }
      if missing > 0, Int.random(in: 0..<missing, using: &random) == 0 { continue }
      let name = revision == 0 ? StreamHash(StreamName("stream \(stream)")) : nil
      let entry = PassedEntry(
        stream: Position(models[stream].positions[0]), revision: Revision(revision), hasID: hasID,
        position: Position(position), links: EntryLinks(), name: name)
      trails.prefetchIndex(entry.stream)
      trails.prefetchTrail(entry.stream)
      let targets = trails.advance(to: entry)
      try #require(targets.count == Head.levels(dividing: entry.revision), "seed \(seed)")
      for level in 0..<targets.count {
        let expected = models[stream].positions[Int(revision - Head.step(ofLevel: level))]
        links += 1
        if targets[level] != 0 { known += 1 }
        let isRight = targets[level] == expected || (targets[level] == 0 && !isWhole)
        try #require(isRight, "seed \(seed), position \(position), level \(level)")
      }
    }
    #expect(known * 2 > links, "seed \(seed): \(known) of \(links) links were known")
    for (number, model) in models.enumerated() where !model.positions.isEmpty {
      let head = model.head
      let newer = Head(
        id: head.id, revision: Revision(head.revision.rawValue + 1), last: head.last, levels: head.levels,
        newestID: head.newestID)
      let other = Head(
        id: head.id, revision: head.revision, last: head.last,
        levels: head.levels.map { Position($0.rawValue + 1) }, newestID: head.newestID)
      let (hasHead, hasNewer) = (trails.confirms(head), trails.confirms(newer))
      let hasOther = !head.levels.isEmpty && trails.confirms(other)
      let hasName = trails.confirms(name: StreamHash(StreamName("stream \(number)")), of: head.id)
      let hasOtherName = trails.confirms(name: StreamHash(StreamName("another")), of: head.id)
      #expect(hasHead && hasName || !isWhole, "seed \(seed), stream \(number)")
      #expect(!hasNewer && !hasOther && !hasOtherName, "seed \(seed), stream \(number)")
    }
  }

  @Test(arguments: [1, 7, 3_000]) func `every link is known while all streams are remembered`(streams: Int)
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    try run(streams: streams, count: 20_000, most: 4_096, missing: 0, isWhole: true, seed: seed)
  }

  @Test func `a link that is known is right, though entries are missing and streams forgotten`() throws {
    let seed = UInt64.random(in: .min ... .max)
    try run(streams: 64, count: 20_000, most: 48, missing: 0, isWhole: false, seed: seed)
    try run(streams: 64, count: 20_000, most: 4_096, missing: 200, isWhole: false, seed: seed)
  }
}
