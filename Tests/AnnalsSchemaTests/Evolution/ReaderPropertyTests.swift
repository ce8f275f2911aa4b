import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// Older programs against chains made at random: by identity of records and fields, and not by names.
@Suite struct ReaderPropertyTests {
  /// The event that a program of `older` reads of a record of the newest version of its chain as, worked out
  /// from identities alone; `nil` where it must not read it.
  private func expected(_ older: [ReaderChain.Record], _ newer: ReaderChain.Record) -> CBOR? {
    guard let known = older.first(where: { $0.name == newer.name }), known.id == newer.id else { return nil }
    var values: [CBOR] = []
    for field in known.fields {
      guard let value = field.read(from: newer.fields) else { return nil }
      values.append(value)
    }
    return .array(values)
  }

  /// The event as the library converts it; `nil` where it cannot.
  private func found(
    _ older: SchemaOutline, _ newer: RecordOutline, _ payload: [UInt8]
  ) throws -> CBOR? {
    guard let index = older.index(of: newer.name), let stored = newer.shape,
      let wanted = older.records[index].shape
    else { return nil }
    let comparison = ShapeComparison(from: stored.shape, to: wanted.shape, direction: .downgrade)
    guard let conversion = comparison.conversion else { return nil }
    var converted: [UInt8] = []
    try conversion.apply(payload.span, to: &converted)
    return try CBOR(payload: converted.span)
  }

  @Test(arguments: 0..<8)
  func `an older program reads a stored event, by the identity of every field, or is refused`(
    part: Int
  ) throws {
    var (read, refused, wrong) = (0, 0, 0)
    for number in 0..<60 as Range<UInt64> {
      let seed = UInt64(part) * 1000 + number
      var generator = SeededGenerator(seed: seed)
      let chain = ReaderChain(Int.random(in: 2...5, using: &generator), isAdditive: false, using: &generator)
      for index in chain.versions.indices.dropFirst() {
        for (record, outline) in zip(chain.versions[index], chain.outline.schemas[index].records) {
          let payload = try CBOR.array(record.fields.map(\.value)).encodedPayload()
          let place = chain.versions[index].firstIndex { $0.name == record.name } ?? 0
          let oldest = chain.outline.readers(of: place, in: index).oldest
          var isReadable = true
          for older in (0..<index).reversed() {
            let schema = chain.outline.schemas[older]
            let wanted = expected(chain.versions[older], record)
            let converted = try found(schema, outline, payload)
            // A stage that moves streams ends it, too; a name in between that was another's does.
            isReadable = isReadable && wanted != nil && wanted == converted
            isReadable = isReadable && !chain.outline.stages[older].movesStreams
            if schema.version >= oldest {
              read += 1
              #expect(
                wanted != nil && wanted == converted,
                "seed \(seed): \(record.name) of \(index + 1) at \(older + 1)")
            } else {
              refused += 1
              if converted != nil, wanted != converted { wrong += 1 }
            }
            #expect(
              isReadable == (schema.version >= oldest),
              "seed \(seed): \(record.name) of \(index + 1) at \(older + 1) may be read: \(isReadable)")
          }
        }
      }
    }
    // Both happen, and so do records that name and shape alone would have read wrongly.
    #expect(
      read > 20 && refused > 20 && wrong > 0, "\(read) read, \(refused) refused, \(wrong) wrong by name")
  }

  @Test func `additions are read by the programs of all versions before`() {
    for seed in 0..<100 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let chain = ReaderChain(5, isAdditive: true, using: &generator)
      for (index, schema) in chain.outline.schemas.enumerated() {
        for number in schema.records.indices {
          #expect(
            chain.outline.readers(of: number, in: index).oldest == SchemaVersion(1, 0, 0), "seed \(seed)")
        }
      }
    }
  }
}
