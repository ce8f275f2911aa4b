import Testing

@testable import AnnalsCoding

struct JSONWriterTests {
  @Test(
    arguments: [
      (0, "0"), (-1, "-1"), (.unsigned(.max), "18446744073709551615"),
      (.negative(.max), "-18446744073709551616"),
      (.negative(.max - 1), "-18446744073709551615"), (1.0, "1.0"), (.double(-0.0), "-0.0"), (0.1, "0.1"),
      (1e300, "1e+300"),
      (.double(.nan), #"{"$double":"NaN"}"#), (.double(.infinity), #"{"$double":"Infinity"}"#),
      (.double(-.infinity), #"{"$double":"-Infinity"}"#),
      (.double(Double(bitPattern: 0x7ff0_0000_0000_0001)), #"{"$double":"7ff0000000000001"}"#),
      (.bytes([1, 2, 3]), #"{"$bytes":"AQID"}"#), (true, "true"), (false, "false"), (.null, "null"),
      (
        "a\"\\/\n\t\r\u{8}\u{c}\u{1f}\u{0}\u{7f}é\u{2028}🏏",
        "\"a\\\"\\\\/\\n\\t\\r\\b\\f\\u001f\\u0000\u{7f}é\u{2028}🏏\""
      ),
      ([1, [], [:]], "[1,[],{}]"), (["b": 1, "a": [2]], #"{"a":[2],"b":1}"#),
      (["$bytes": 1], #"{"$$bytes":1}"#), (["$$double": 1], #"{"$$$double":1}"#),
      (["$other": 1], #"{"$other":1}"#),
      (["$bytes": 1, "$": 2], #"{"$":2,"$bytes":1}"#),
    ] as [(CBOR, String)])
  func `a value is written as`(value: CBOR, text: String) throws {
    var writer = JSONWriter()
    try writer.value(value)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test func `nothing is written of bytes that are no payload`() {
    var writer = JSONWriter()
    let bytes = hex("8200f7")
    #expect(throws: CodingFailure.self) { try writer.payload(bytes.span) }
    #expect(writer.bytes.isEmpty)
  }
}
