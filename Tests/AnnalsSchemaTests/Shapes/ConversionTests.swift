import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

struct ConversionTests {
  private struct Version {
    let shape: RecordShape
    let edit: ShapeEdit
    let conversion: Conversion
  }

  private func apply(_ conversion: Conversion, _ payload: [UInt8]) throws -> [UInt8] {
    var output: [UInt8] = []
    try conversion.apply(payload.span, to: &output)
    // A plan decodes the same bytes without storing them first.
    var lent: [UInt8] = conversion.spliced == nil ? output : []
    try conversion.spliced?.lend(payload.span) { bytes in
      for index in bytes.indices { lent.append(bytes[index]) }
    }
    #expect(lent == output)
    return output
  }

  /// A random shape in whose fields no type refers further out, so that fields can be moved.
  private func first(using generator: inout SeededGenerator) -> RecordShape {
    RecordShape(RecordShape.random(using: &generator).fields.filter { !$0.shape.text.contains("^") })
  }

  private func versions(
    after shape: RecordShape, count: Int, using generator: inout SeededGenerator,
    edit: (RecordShape, Int, inout SeededGenerator) -> ShapeEdit = {
      ShapeEdit.random(of: $0, number: $1, using: &$2)
    }
  ) throws -> [Version] {
    var versions: [Version] = []
    var last = shape
    for number in 0..<count {
      let edit = edit(last, number, &generator)
      let comparison = ShapeComparison(from: last, to: edit.shape, adjustments: edit.adjustments)
      let conversion = try #require(
        comparison.conversion,
        "\(last.text) → \(edit.shape.text) \(comparison.changes) \(comparison.problems)")
      versions.append(Version(shape: edit.shape, edit: edit, conversion: conversion))
      last = edit.shape
    }
    return versions
  }

  @Test(arguments: RunLength.computing(40))
  func `fields that move into and out of optional records are moved four stages deep in one step`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let inner = RecordShape.random(using: &generator, depth: 2).fields
        .filter { $0.name != "a" && !$0.shape.text.contains("^") }
      let shape = RecordShape([
        FieldShape("outer", .optional(.record([FieldShape("a", .optional(.integer(.int32)))] + inner))),
        FieldShape("deep", .record([FieldShape("next", .optional(.record(inner)))])),
        FieldShape("n", .optional(.text)),
      ])
      let versions = try versions(after: shape, count: 4, using: &generator) {
        ShapeEdit.randomMove(of: $0, number: $1, using: &$2)
      }
      let fused = versions.reduce(Conversion.same) { $0.followed(by: $1.conversion) }
      #expect(fused.passes <= 1, "seed \(seed)")
      for _ in 0..<4 {
        guard case .array(var fields) = shape.randomValue(using: &generator) else { continue }
        let payload = try CBOR.array(fields).encodedPayload()
        var stepwise = payload
        for version in versions {
          stepwise = try apply(version.conversion, stepwise)
          fields = version.edit.apply(fields)
          let expected = try CBOR.array(fields).encodedPayload()
          #expect(stepwise == expected, "seed \(seed): \(shape.text) → \(version.shape.text)")
        }
        #expect(
          (try? apply(fused, payload)) == stepwise,
          "seed \(seed): \(shape.text) → \(versions.map(\.shape.text))")
      }
    }
  }

  @Test func `an optional field hoisted out of an optional record is converted further where it is null`()
    throws
  {
    let shapes = try [
      "(place: (floor: int32?)?)", "(floor: int32?)", "(floor: double?)", "(at: (floor: double?))",
    ].map { text throws in try RecordShape(parsing: text) }
    let adjustments: [[FieldAdjustment]] = [[.hoist("floor", from: "place")], [], [.plunge("at")]]
    let steps = try (0..<3).map { number in
      try #require(
        ShapeComparison(from: shapes[number], to: shapes[number + 1], adjustments: adjustments[number])
          .conversion)
    }
    let all = steps.reduce(Conversion.same) { $0.followed(by: $1) }
    for (old, new) in [([[3]], [[3.0]]), ([[.null]], [[.null]]), ([.null], [[.null]])] as [([CBOR], [CBOR])] {
      let payload = try CBOR.array(old).encodedPayload()
      #expect(try CBOR(payload: apply(all, payload)) == .array(new))
    }
  }

  // Promise P27.
  @Test(arguments: RunLength.computing(60))
  func `combined steps give the same result as single ones, and as the changes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      let shape = first(using: &generator)
      let versions = try versions(after: shape, count: 6, using: &generator)
      let fused = versions.reduce(Conversion.same) { $0.followed(by: $1.conversion) }
      #expect(fused.passes <= 1)
      for _ in 0..<5 {
        let value = shape.randomValue(using: &generator)
        guard case .array(var fields) = value else { continue }
        let payload = try value.encodedPayload()
        var stepwise = payload
        for version in versions {
          stepwise = try apply(version.conversion, stepwise)
          fields = version.edit.apply(fields)
          let expected = try CBOR.array(fields).encodedPayload()
          #expect(stepwise == expected, "\(shape.text) → \(version.shape.text)")
        }
        #expect(try apply(fused, payload) == stepwise, "\(shape.text) → \(versions.map(\.shape.text))")
      }
    }
  }

  @Test(arguments: RunLength.computing(40))
  func `a payload converted to a newer shape and back is the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let shape = first(using: &generator)
      let version = try versions(after: shape, count: 1, using: &generator)[0]
      guard version.edit.isReversible else { continue }
      let comparison = ShapeComparison(
        from: version.shape, to: shape, adjustments: version.edit.adjustments, direction: .downgrade)
      let down = try #require(
        comparison.conversion,
        "\(version.shape.text) → \(shape.text) \(comparison.changes) \(comparison.problems)")
      for _ in 0..<5 {
        let payload = try shape.randomValue(using: &generator).encodedPayload()
        let back = try apply(down, apply(version.conversion, payload))
        #expect(back == payload, "\(shape.text) → \(version.shape.text)")
      }
    }
  }

  @Test(arguments: RunLength.computing(30))
  func `hostile payloads are converted or refused, and never grow beyond their order`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<15 {
      let shape = first(using: &generator)
      let versions = try versions(after: shape, count: 3, using: &generator)
      let fused = versions.reduce(Conversion.same) { $0.followed(by: $1.conversion) }
      let newest = versions[2].shape
      let back = ShapeComparison(from: newest, to: shape, direction: .downgrade).conversion ?? .same
      let payload = try shape.randomValue(using: &generator).encodedPayload()
      let converted = try apply(fused, payload)
      for (conversion, payload) in [(fused, payload), (versions[1].conversion, payload), (back, converted)] {
        for bytes in HostileBytes.variants(of: payload, using: &generator) {
          var output: [UInt8] = [1, 2, 3]
          do {
            try conversion.apply(bytes.span, to: &output)
          } catch {
            #expect(output == [1, 2, 3])
          }
          #expect(output.count <= 200 + 20 * bytes.count)
        }
      }
    }
  }

  @Test func `shapes that differ in nothing need no pass`() throws {
    let shape = try RecordShape(parsing: "(a: text, kind: <a | b(x: int64)>, more: [^0])")
    let comparison = ShapeComparison(from: shape, to: shape)
    #expect(comparison.conversion?.isSame == true)
    #expect(comparison.conversion?.passes == 0)
    #expect(comparison.changes == [])
  }

  @Test func `a change of a type that contains itself is made one with changes around it`() throws {
    let shapes = try [
      "(a: text, tree: (v: int32, more: [^0]))", "(a: text, tree: (v: double, more: [^0]))",
      "(a: text, n: text?, tree: (v: double, more: [^0]))",
    ].map { text throws in try RecordShape(parsing: text) }
    let first = try #require(ShapeComparison(from: shapes[0], to: shapes[1]).conversion)
    let second = try #require(ShapeComparison(from: shapes[1], to: shapes[2]).conversion)
    let both = first.followed(by: second)
    #expect(both.passes == 1)
    let payload = try CBOR.array(["x", [1, [[2, []], [3, [[4, []]]]]]]).encodedPayload()
    #expect(
      try CBOR(payload: apply(both, payload))
        == ["x", .null, [1.0, [[2.0, []], [3.0, [[4.0, []]]]]]])
  }

  @Test func `two changes of a type that contains itself are done one after the other`() throws {
    let shapes = try [
      "(v: int32, more: [^0])", "(v: double, more: [^0])", "(n: text?, v: double, more: [^0])",
    ].map {
      text throws in try RecordShape(parsing: text)
    }
    let first = try #require(ShapeComparison(from: shapes[0], to: shapes[1]).conversion)
    let second = try #require(ShapeComparison(from: shapes[1], to: shapes[2]).conversion)
    let both = first.followed(by: second)
    #expect(both.passes == 2)
    let payload = try CBOR.array([1, [[2, []]]]).encodedPayload()
    #expect(try CBOR(payload: apply(both, payload)) == [.null, 1.0, [[.null, 2.0, []]]])
  }

  @Test func `a value that the first of two steps refuses is refused by both, even if the second drops it`()
    throws
  {
    let shapes = try ["(a: text, b: bytes)", "(a: text, b: text)", "(a: text)"].map { text throws in
      try RecordShape(parsing: text)
    }
    let first = try #require(ShapeComparison(from: shapes[0], to: shapes[1]).conversion)
    let second = try #require(ShapeComparison(from: shapes[1], to: shapes[2]).conversion)
    let payload = try CBOR.array(["x", .bytes([0xff])]).encodedPayload()
    #expect { try apply(first.followed(by: second), payload) } throws: {
      ($0 as? CodingFailure)?.reason == .invalidText
    }
  }

  @Test func `records of more fields than one byte counts are reordered`() throws {
    let names = (0..<40).map { "f\($0): int64" }
    let old = try RecordShape(parsing: "(" + names.joined(separator: ", ") + ")")
    let new = try RecordShape(parsing: "(" + names.reversed().joined(separator: ", ") + ", last: text?)")
    let conversion = try #require(ShapeComparison(from: old, to: new).conversion)
    let payload = try CBOR.array((0..<40).map { CBOR($0 * 100) }).encodedPayload()
    let expected = CBOR.array((0..<40).reversed().map { CBOR($0 * 100) } + [.null])
    #expect(try CBOR(payload: apply(conversion, payload)) == expected)
  }

  @Test(arguments: 1...80)
  func `lists and records nested to the limit are converted, and no deeper ones enter`(depth: Int) throws {
    let old = try RecordShape(parsing: "(v: int32, more: [^0])")
    let new = try RecordShape(parsing: "(more: [^0], v: double)")
    let conversion = try #require(ShapeComparison(from: old, to: new).conversion)
    var payload = hex("8201") + hex("80")
    var expected = hex("8280f93c00")
    for _ in 1..<depth {
      payload = hex("820181") + payload
      expected = hex("8281") + expected + hex("f93c00")
    }
    // A record and its list are two containers.
    if depth <= 32 {
      #expect(try apply(conversion, payload) == expected)
    } else {
      let output = try? apply(conversion, payload)
      #expect(output == nil || output == expected)
    }
  }

  @Test(arguments: [1, 42, 43, 63])
  func `cases nested to the limit are converted where their values are in another order`(depth: Int) throws {
    let old = try RecordShape(parsing: "(k: <leaf | node(a: int64, next: ^0)>)")
    let new = try RecordShape(parsing: "(k: <leaf | node(next: ^0, a: int64)>)")
    let conversion = try #require(ShapeComparison(from: old, to: new).conversion)
    var payload = hex("00")
    var expected = hex("00")
    for _ in 0..<depth {
      payload = hex("830105") + payload
      expected = hex("8301") + expected + hex("05")
    }
    #expect(try apply(conversion, hex("81") + payload) == hex("81") + expected)
  }

  @Test func `a hundred thousand nested arrays are refused without exhausting the stack`() throws {
    let old = try RecordShape(parsing: "(v: int32, more: [^0])")
    let new = try RecordShape(parsing: "(more: [^0], v: double)")
    let conversion = try #require(ShapeComparison(from: old, to: new).conversion)
    let payload = (0..<100_000).flatMap { _ in hex("820181") }
    #expect(throws: CodingFailure.self) { try apply(conversion, payload) }
  }
}
