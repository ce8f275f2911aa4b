import Testing

/// Names and places that what the macros write must not stumble over.
@Suite struct MacroNameTests {
  @Test func `a property may be called as something that the macros write`() throws {
    let names = Names.Same(
      reader: 1, writer: 2, types: 3, shape: 4, path: 5, payload: 6, bytes: 7, encode: 8, recordName: 9,
      value0: 10,
      value: 11, record: 12, fields: 13)
    #expect(try names.roundTrip() == names)
  }

  @Test func `a property may be called as Swift reserves`() throws {
    let names = Names.Reserved(default: 1, init: 2, in: 3, switch: 4, Any: 5, nil: 6, func: 7)
    #expect(try names.roundTrip() == names)
    #expect(
      Names.Reserved.recordShape?.fields.map(\.name) == [
        "default", "init", "in", "switch", "Any", "nil", "func",
      ])
  }

  @Test func `a record may be called as Swift reserves`() throws {
    #expect(try Names.Default(n: 1).roundTrip() == Names.Default(n: 1))
    #expect(try Names.Init(n: 1).roundTrip() == Names.Init(n: 1))
    #expect(Names.Default.recordName == "Default")
  }

  @Test func `a record may be called as a type of Swift or of the library`() throws {
    let text = Types.String(n: 1, text: "a")
    #expect(try text.roundTrip() == text)
    let record = Types.Record(n: 1, bool: .init(text: "b"))
    #expect(try record.roundTrip() == record)
    #expect(Types.FieldShape.recordName == "FieldShape")
  }

  @Test func `names on disk keep their bytes`() throws {
    let names = try #require(Names.Bytes.recordShape?.fields.map { Array($0.name.utf8) })
    #expect(names == [Array("a\"b\\c".utf8), [0xc3, 0xa9], [0x65, 0xcc, 0x81]])
  }

  @Test func `records of a hidden schema are stored`() throws {
    #expect(try Hidden.A(n: 1).roundTrip() == Hidden.A(n: 1))
    #expect(try Inner.V1.A(n: 1).roundTrip() == Inner.V1.A(n: 1))
  }
}

@Schema(1, 0, 0) private enum Names {
  @Record fileprivate struct Same: Equatable {
    var reader, writer, types, shape, path, payload, bytes, encode, recordName, value0, value, record,
      fields: Int
  }
  @Record fileprivate struct Reserved: Equatable {
    var `default`, `init`, `in`, `switch`, `Any`, `nil`, `func`: Int
  }
  @Record fileprivate struct `Default`: Equatable { var n: Int }
  @Record fileprivate struct Init: Equatable { var n: Int }
  @Record fileprivate struct Bytes {
    @Field("a\"b\\c") var a: Int
    @Field("\u{e9}") var b: Int
    @Field("e\u{301}") var c: Int
  }
}

@Schema(1, 0, 0) private enum Types {
  @Record fileprivate struct String: Equatable {
    var n: Swift.Int
    var text: Swift.String
  }
  @Record fileprivate struct Bool: Equatable { var text: Swift.String }
  @Record fileprivate struct Record: Equatable {
    var n: Swift.Int
    var bool: Bool
  }
  @Record fileprivate struct Int: Equatable { var n: Swift.Int }
  @Record fileprivate struct FieldShape: Equatable { var n: Swift.Int }
}

@Schema(1, 0, 0) private enum Hidden {
  @Record struct A: Equatable { private(set) var n: Swift.Int }
}

struct Inner {
  @Schema(1, 0, 0) enum V1 {
    @Record struct A: Equatable { var n: Int }
  }
}
