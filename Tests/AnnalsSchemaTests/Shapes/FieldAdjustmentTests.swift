import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// What a stage says of fields, both ways.
struct FieldAdjustmentTests {
  @Test(arguments: [
    ("(l: bytes)", "(l: [uint16])", []), ("(l: [int64?])", "(l: bytes)", []),
    ("(l: uint8)", "(l: bytes)", [FieldAdjustment.wrap("l")]),
  ]) func `bytes and arrays of numbers need a rule, and the message says that one of them is bytes`(
    old: String, new: String, adjustments: [FieldAdjustment]
  ) throws {
    let (up, _) = try Compared.both(old, new, adjustments)
    #expect(up.conversion == nil)
    #expect(up.changes.map(\.kind) == [.typeChanged])
    #expect(up.changes[0].description.contains("`[UInt8]` is stored as bytes, not as an array"))
    #expect(up.problems.allSatisfy { $0.description.contains("stored as bytes") })
    #expect(up.problems.count == adjustments.count)
  }

  @Test func `a field of a record without a name does not take the wrap of the field outside`() throws {
    let inner = FieldShape("", .record([FieldShape("b", .bytes)]))
    let up = ShapeComparison(
      from: RecordShape([inner, FieldShape("b", .date)]),
      to: RecordShape([inner, FieldShape("b", .list(.date))]), adjustments: [.wrap("b")])
    #expect(up.problems == [])
    #expect(up.changes.map(\.kind) == [.wrapped])
  }

  @Test func `a map of numbers is no array of numbers`() throws {
    let (up, _) = try Compared.both("(l: bytes)", "(l: [int8: date])", [])
    #expect(!up.changes[0].description.contains("stored as bytes"))
  }

  @Test func `a value wrapped into an array is mapped both ways`() throws {
    let (up, down) = try Compared.both("(a: int64, b: bool)", "(a: [int64], b: bool)", [.wrap("a")])
    #expect(up.changes.map(\.kind) == [.wrapped])
    #expect(up.changes[0].backward == .mapped && up.changes[0].forward == .onlyElement)
    #expect(try Compared.converted(up, [1, true]) == [[1], true])
    #expect(try Compared.converted(down, [[1], true]) == [1, true])
    #expect(try Compared.failure(down, [[1, 2], true]) == .wrongType)
    #expect(try Compared.both("(a: int64)", "(a: [int64])").up.conversion == nil)
  }

  @Test func `an array is wrapped into an array of arrays, and one that stays is not wrapped`() throws {
    let (up, down) = try Compared.both("(a: [int64])", "(a: [[int64]])", [.wrap("a")])
    #expect(up.problems == [])
    #expect(try Compared.converted(up, [[1, 2]]) == [[[1, 2]]])
    #expect(try Compared.converted(down, [[[1, 2]]]) == [[1, 2]])
    #expect(try Compared.failure(down, [[[1], [2]]]) == .wrongType)
    for kept in ["(a: [int64])", "(a: [[int64]])"] {
      let same = try Compared.both(kept, kept, [.wrap("a")]).up
      #expect(same.problems.map(\.description).contains { $0.hasSuffix("remove the wrap") })
    }
  }

  @Test func `fields plunge into a nested record and are read back`() throws {
    let (up, down) = try Compared.both(
      "(lat: double, name: text, lon: double)",
      "(name: text, place: (lat: double, east(lon): double, up: double?))",
      [.plunge("place")])
    #expect(up.problems == [])
    #expect(up.changes.map(\.kind) == [.plunged, .addedOptional])
    #expect(try Compared.converted(up, [1.5, "x", 2.5]) == ["x", [1.5, 2.5, .null]])
    #expect(try Compared.converted(down, ["x", [1.5, 2.5, 3.5]]) == [1.5, "x", 2.5])
  }

  @Test func `a field is hoisted out of a nested record and read back`() throws {
    let (up, down) = try Compared.both(
      "(place: (lat: double, lon: double), name: text)", "(name: text, lat: double, east(lon): double)",
      [.hoist("lat", from: "place"), .hoist("east", from: "place")])
    #expect(up.problems == [])
    #expect(up.changes.map(\.kind) == [.hoisted(from: "place.lat"), .hoisted(from: "place.lon")])
    #expect(try Compared.converted(up, [[1.5, 2.5], "x"]) == ["x", 1.5, 2.5])
    #expect(try Compared.converted(down, ["x", 1.5, 2.5]) == [[1.5, 2.5], "x"])
  }

  @Test func `a field hoisted out of an optional record is optional`() throws {
    let (up, _) = try Compared.both(
      "(place: (lat: double)?, name: text)", "(name: text, lat: double?)", [.hoist("lat", from: "place")])
    #expect(try Compared.converted(up, [.null, "x"]) == ["x", .null])
    #expect(try Compared.converted(up, [[1.5], "x"]) == ["x", 1.5])
    let (required, _) = try Compared.both(
      "(place: (lat: double)?)", "(lat: double)", [.hoist("lat", from: "place")])
    #expect(required.conversion == nil)
  }

  @Test func `a removed and an added field of one type may be one that was renamed`() throws {
    let (up, _) = try Compared.both("(weight: double?)", "(kilograms: double?)")
    #expect(up.changes.map(\.kind) == [.addedOptional, .removedOptional, .possibleRename(from: "weight")])
    #expect(up.changes[2].verdict == .lightweight)
    #expect(up.changes[2].description.contains("@Field(originalName: \"weight\")"))
    let known = try Compared.both(
      "(weight: double?)", "(kilograms: double?)", [.acknowledge(removed: "weight")]
    ).up
    #expect(known.changes.map(\.kind) == [.addedOptional, .removedOptional])
    #expect(known.problems == [])
  }

  @Test(
    arguments: [
      [.constant(field: "zzz", bytes: [0])], [.constant(field: "a", bytes: [0])], [.wrap("a")],
      [.plunge("a")], [.hoist("a", from: "b")], [.acknowledge(removed: "a")],
      [.wrap("l"), .constant(field: "l", bytes: [0])], [.constant(field: "new", bytes: [0, 0])],
      [.constant(field: "new", bytes: [0x61, 0x61])],
    ] as [[FieldAdjustment]])
  func `an adjustment that applies to nothing or contradicts another is a problem`(
    adjustments: [FieldAdjustment]
  ) throws {
    let (up, _) = try Compared.both("(a: text, l: int64)", "(a: text, l: [int64], new: int64?)", adjustments)
    #expect(!up.problems.isEmpty)
    #expect(up.conversion == nil)
  }
}
