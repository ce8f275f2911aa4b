import Testing

@Suite struct StoredEnumTests {
  private typealias Scene = FilmsV1.Scene

  @Test(arguments: [
    Scene.empty, .shot(seconds: 3, false), .cut(.empty, to: nil),
    .cut(.montage([.other, .empty]), to: .other),
    .montage([]),
  ])
  func `an enum is read as it was written`(scene: FilmsV1.Scene) throws {
    let held = Held.V1.A(scene: scene, part: .extra, state: .init(rawValue: 7))
    #expect(try held.roundTrip() == held)
  }

  @Test func `a case is known by its number, and its values follow`() throws {
    // [[1, 3, true], 0, null]
    #expect(
      try Held.V1.A(scene: .shot(seconds: 3, true), part: .lead, state: nil).payload()
        == [0x83, 0x83, 0x01, 0x03, 0xf5, 0x00, 0xf6])
  }

  @Test func `cases have their names, their labels and their values`() {
    #expect(
      Scene.shape
        == .choice([
          .init("empty"),
          .init("shot", [.init("seconds", .integer(.int64)), .init("_1", .bool)]),
          .init("cut", [.init("_0", .enclosing(0)), .init("to", .optional(.enclosing(0)))]),
          .init("montage", [.init("_0", .list(.enclosing(0)))]),
          .init("other"),
        ]))
  }

  @Test func `one case represents those that a reader does not know`() {
    guard case .choice(let cases) = Scene.shape else {
      Issue.record("an enum is a choice")
      return
    }
    #expect(cases.filter(\.standsForUnknown).map(\.name) == ["other"])
  }

  @Test func `the cases of an enum of texts are called as their texts unless they say otherwise`() {
    #expect(
      FilmsV1.Person.Part.shape == .choice([.init("main"), .init("extra"), .init("voice")]))
  }

  @Test func `a struct may hold itself`() {
    #expect(
      FilmsV1.Person.shape
        == .record([
          .init("name", .text), .init("role", .optional(FilmsV1.Person.Part.shape)),
          .init("agents", .list(.enclosing(0))),
        ]))
  }

  @Test(arguments: [
    // [[5], 0, null] has an unknown case, [[0, 1], 0, null] a case with a value too many, [1, 0, null] one
    // with a value too few.
    [0x83, 0x05, 0x00, 0xf6], [0x83, 0x82, 0x00, 0x01, 0x00, 0xf6], [0x83, 0x01, 0x00, 0xf6],
  ])
  func `a case that the type does not have is refused`(payload: [UInt8]) {
    #expect(throws: CodingFailure.self) { try Held.V1.A.decode(payload: payload.span) }
  }

  @Test func `a case may be called as Swift reserves`() throws {
    for value in [Hard.`default`(in: 1, for: 2), .`init`(3), .`switch`, .none, .encode(4), .shape] {
      let held = HardCases.V1.A(hard: value)
      #expect(try held.roundTrip() == held)
    }
  }

  private typealias Hard = HardCases.V1.Hard
}

private enum Held {
  @Schema(1, 0, 0) enum V1 {
    @Record struct A: Equatable {
      var scene: FilmsV1.Scene
      var part: FilmsV1.Person.Part
      var state: State?
    }
    @Value struct State: Equatable, RawRepresentable { var rawValue: Int }
  }
}

private enum HardCases {
  @Schema(1, 0, 0) enum V1 {
    @Record struct A: Equatable { var hard: Hard }
    @Value enum Hard: Equatable {
      case `default`(in: Int, for: Int)
      case `init`(Int)
      case `switch`, none
      case encode(Int)
      case shape
    }
  }
}
