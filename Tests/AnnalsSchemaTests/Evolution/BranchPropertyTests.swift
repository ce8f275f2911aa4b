import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// Programs on events of later versions of their own chain, and of a chain that went another way.
@Suite struct BranchPropertyTests {
  /// Returns the part of a chain that a program has which begins and ends at these versions.
  private func part(_ chain: ChainOutline, _ versions: ClosedRange<Int>) -> ChainOutline {
    let stages = versions.lowerBound..<versions.upperBound
    return ChainOutline(
      schemas: Array(chain.schemas[versions]), stages: Array(chain.stages[stages]),
      crossings: Array(chain.crossings[stages]))
  }

  /// The conversion of a program of `schema`, which asks no plan.
  private func conversion(_ schema: SchemaOutline, _ newer: RecordOutline) -> (number: Int, Conversion)? {
    guard let number = schema.index(of: newer.name), let stored = newer.shape,
      let wanted = schema.records[number].shape,
      let found = ShapeComparison(from: stored.shape, to: wanted.shape, direction: .downgrade).conversion
    else { return nil }
    return (number, found)
  }

  @Test func `a program whose chain is part of the writer's reads all that the writer says it reads`() throws
  {
    var count = 0
    for seed in 0..<150 as Range<UInt64> {
      var generator = SeededGenerator(seed: 7000 + seed)
      let size = Int.random(in: 2...6, using: &generator)
      let outline = ReaderChain(size, isAdditive: seed % 3 == 0, using: &generator).outline
      for newest in 1..<size {
        for start in 0...newest {
          let writer = part(outline, start...newest)
          let schema = outline.schemas[newest]
          for (number, record) in schema.records.enumerated() {
            let oldest = writer.readers(of: number, in: newest - start).oldest
            for end in 0..<newest where oldest <= outline.schemas[end].version {
              let (own, _) = try #require(conversion(outline.schemas[end], record))
              let shape = try #require(record.shape)
              for beginning in 0...end {
                count += 1
                #expect(
                  part(outline, beginning...end).reads(shape, as: own, from: oldest),
                  "seed \(seed): \(record.name) of \(newest + 1) at \(end + 1), from \(beginning + 1) on")
              }
            }
          }
        }
      }
    }
    #expect(count > 1000)
  }

  @Test(arguments: 0..<4)
  func `a program of another branch reads an event by the identity of every field, or is refused`(
    part: Int
  ) throws {
    var (read, refused, wrong) = (0, 0, 0)
    for number in 0..<150 as Range<UInt64> {
      let seed = UInt64(part) * 1000 + number
      var generator = SeededGenerator(seed: seed)
      let fork = Int.random(in: 1...3, using: &generator)
      let isAdditive = number % 3 == 0
      var writer = ReaderChain(fork, isAdditive: false, using: &generator)
      var reader = writer.branch
      let count = Int.random(in: 1...2, using: &generator)
      writer.grow(to: fork + count + 1, isAdditive: isAdditive, using: &generator)
      reader.grow(to: fork + count, isAdditive: isAdditive, using: &generator)
      let (newest, own) = (writer.versions.count - 1, reader.versions.count - 1)
      for (place, record) in writer.versions[newest].enumerated() {
        let outline = writer.outline.schemas[newest].records[place]
        let oldest = writer.outline.readers(of: place, in: newest).oldest
        let schema = reader.outline.schemas[own]
        guard oldest <= schema.version, let shape = outline.shape,
          let (number, conversion) = conversion(schema, outline)
        else { continue }
        let payload = try CBOR.array(record.fields.map(\.value)).encodedPayload()
        var converted: [UInt8] = []
        try conversion.apply(payload.span, to: &converted)
        let known = reader.versions[own][number]
        let values = known.fields.map { $0.read(from: record.fields) }
        let isRight =
          try known.id == record.id && !values.contains(nil)
          && CBOR(payload: converted.span) == .array(values.compactMap(\.self))
        if reader.outline.reads(shape, as: number, from: oldest) {
          read += 1
          #expect(isRight, "seed \(seed): \(record.name)")
        } else {
          refused += 1
          if !isRight { wrong += 1 }
        }
      }
    }
    // Both happen, and so do records that a comparison of versions alone would have read wrongly.
    #expect(read > 20 && wrong > 5, "\(read) read, \(refused) refused, \(wrong) wrong by number")
  }
}
