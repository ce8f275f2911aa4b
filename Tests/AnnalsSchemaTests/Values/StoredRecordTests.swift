import Testing

struct StoredRecordTests {
  static let bytes =
    "866b42656e636820707265737308" + "03f95528" + "6966656c7420676f6f64" + "fb41d9cf9e0007df3b"

  @Test func `a record is an array of its fields`() throws {
    var payload: [UInt8] = []
    try SetLogged.sample.encode(into: &payload)
    #expect(hex(payload) == Self.bytes)
    let back = try SetLogged.decode(payload: payload.span)
    #expect(back == .sample)
  }

  @Test func `a payload is added after existing bytes`() throws {
    var payload: [UInt8] = [1, 2]
    try SetLogged.sample.encode(into: &payload)
    #expect(payload == [1, 2] + hex(Self.bytes))
  }

  @Test func `existing bytes stay unchanged when a record is refused`() throws {
    struct Refused: ShapedRecord {
      static func shape(in types: inout ShapeTypes) -> ValueShape { types.record(Self.self) { _ in [] } }
      init() {}
      init(from reader: inout FieldReader) throws(CodingFailure) {}
      func encode(into writer: inout FieldWriter) throws(CodingFailure) {
        try writer.begin(2)
        try writer.field("text")
        try writer.field(Int??.some(nil))
      }
    }
    var payload: [UInt8] = [1, 2]
    #expect(throws: CodingFailure.self) { try Refused().encode(into: &payload) }
    #expect(payload == [1, 2])
  }

  @Test func `every cut of a payload is refused as truncated`() throws {
    let bytes = hex(Self.bytes)
    for count in 0..<bytes.count {
      do throws(CodingFailure) {
        _ = try SetLogged.decode(payload: bytes.span.extracting(first: count))
        Issue.record("\(count) bytes were read")
      } catch {
        #expect(error.reason == .truncated)
      }
    }
  }

  @Test func `bytes after a payload are refused`() {
    #expect(throws: CodingFailure(.trailingBytes, at: 37)) {
      _ = try SetLogged.decode(payload: (hex(Self.bytes) + [0]).span)
    }
  }

  @Test func `another number of fields or another item is refused`() {
    expect("85", as: SetLogged.self, fails: .wrongType)
    expect("87", as: SetLogged.self, fails: .wrongType)
    expect("9806", as: SetLogged.self, fails: .notCanonical)
    expect("a6", as: SetLogged.self, fails: .wrongType)
    expect("", as: SetLogged.self, fails: .truncated)
  }

  @Test func `a field of another type is reported with its place`() {
    expect("866161f5", as: SetLogged.self, fails: .wrongType, at: 3)
    expect("86616108031800", as: SetLogged.self, fails: .wrongType, at: 5)
  }

  @Test func `a case is its number, or an array of its number and its values`() throws {
    try expect(Formula.nothing, is: "00")
    try expect(Formula.number(1.5), is: "8201f93e00")
    try expect(Formula.sum(.nothing, .number(0)), is: "8302008201f90000")
    try expect([Formula.nothing, .nothing], is: "820000")
  }

  @Test func `a case in another form than its own is refused`() {
    expect("03", as: Formula.self, fails: .outOfRange, at: 1)
    expect("1bffffffffffffffff", as: Formula.self, fails: .outOfRange)
    expect("820301", as: Formula.self, fails: .outOfRange, at: 2)
    expect("8100", as: Formula.self, fails: .wrongType)
    expect("80", as: Formula.self, fails: .wrongType)
    expect("01", as: Formula.self, fails: .wrongType, at: 1)
    expect("820000", as: Formula.self, fails: .wrongType, at: 2)
    expect("8301f90000f90000", as: Formula.self, fails: .wrongType, at: 2)
    expect("82616100", as: Formula.self, fails: .wrongType, at: 1)
    expect("20", as: Formula.self, fails: .wrongType)
    expect("1800", as: Formula.self, fails: .notCanonical)
    expect("82180100", as: Formula.self, fails: .notCanonical, at: 1)
  }

  @Test func `a type may contain itself`() throws {
    try expect(
      Folder("a", [Folder("b"), Folder("c", [Folder("")])]), is: "82616182826162808261638182608" + "0")
  }
}
