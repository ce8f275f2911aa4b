import Testing

@testable import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct JSONReaderTests {
  private func read(_ text: String) throws -> CBOR {
    let bytes = [UInt8](text.utf8)
    return try JSONReader.value(of: bytes.span, number: 7)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", .double(-0.0)), ("-0.0", .double(-0.0)), ("10", 10), ("-1", -1), ("1.0", 1.0),
      ("5e0", 5.0),
      ("18446744073709551615", .unsigned(.max)), ("18446744073709551616.0", .double(0x1p64)),
      ("-18446744073709551616", .negative(.max)), ("1e20", 1e20),
      ("9007199254740993", 9_007_199_254_740_993), ("9007199254740993.0", .double(9_007_199_254_740_992)),
      ("0.1", 0.1), ("0e-400", 0.0), ("-0.00e-400", .double(-0.0)),
      ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("2.2250738585072011e-308", .double(Double(bitPattern: 0x000f_ffff_ffff_ffff))), ("1E+2", 100.0),
      ("\"\"", ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz"),
      (#""\u0000\u00e9\u20AC""#, "\u{0}é€"),
      (#""\ud83c\udfCf""#, "🏏"), ("\"\u{2028}\u{7f}é🏏\"", "\u{2028}\u{7f}é🏏"),
      ("[]", []), ("[1,[2],{}]", [1, [2], [:]]),
      (" \t\r\n{ \"a\" : [ true , false , null ] } \n", ["a": [true, false, .null]]),
      (#"{"":0,"\u00e9":1,"e\u0301":2}"#, ["": 0, "\u{e9}": 1, "e\u{301}": 2]),
      (#"{"$bytes":"AQID"}"#, .bytes([1, 2, 3])), (#"{"$bytes":""}"#, .bytes([])),
      (#"{"$double":"NaN"}"#, .double(.nan)), (#"{"$double":"-Infinity"}"#, .double(-.infinity)),
      (#"{"$double":"7ff0000000000001"}"#, .double(Double(bitPattern: 0x7ff0_0000_0000_0001))),
      (#"{"$$bytes":"x"}"#, ["$bytes": "x"]), (#"{"$$$double":1}"#, ["$$double": 1]),
      (#"{"$other":1}"#, ["$other": 1]),
      (#"{"$bytes":1,"a":2}"#, ["$bytes": 1, "a": 2]), (#"{"$$bytes":1,"a":2}"#, ["$$bytes": 1, "a": 2]),
      (#"{"\u0024bytes":"AQID"}"#, .bytes([1, 2, 3])),
    ] as [(String, CBOR)])
  func `a value is read exactly`(text: String, value: CBOR) throws {
    #expect(try read(text) == value)
  }

  @Test(
    arguments: [
      ("", .truncated, 1), ("  ", .truncated, 3), ("{", .truncated, 2), ("[1", .truncated, 3),
      ("\"a", .truncated, 3),
      ("[1,]", .unexpected, 4), ("{\"a\":1,}", .unexpected, 8), ("{a:1}", .unexpected, 2),
      ("{\"a\" 1}", .unexpected, 6),
      ("[1 2]", .unexpected, 4), ("'a'", .unexpected, 1), ("tru", .truncated, 4), ("trux", .unexpected, 4),
      ("nul", .truncated, 4),
      ("1 2", .trailing, 3), ("{}x", .trailing, 3), ("01", .trailing, 2), ("-", .number, 1),
      ("1.", .number, 1), ("-a", .number, 1),
      (".5", .unexpected, 1), ("+1", .unexpected, 1), ("1e", .number, 1), ("1e400", .overflow, 1),
      ("[-1e400]", .overflow, 2), ("1e-400", .underflow, 1), ("[-0.001e-400]", .underflow, 2),
      ("18446744073709551616", .wholeNumber, 1), ("[-18446744073709551617]", .wholeNumber, 2),
      ("100000000000000000000000", .wholeNumber, 1),
      ("NaN", .unexpected, 1), ("Infinity", .unexpected, 1), ("\u{feff}1", .unexpected, 1),
      ("// x", .unexpected, 1),
      (#""\x""#, .escape, 2), (#""\u12g4""#, .escape, 2), (#""\u12"#, .truncated, 6), (#""\"#, .truncated, 3),
      (#""a\ud800""#, .surrogate, 3), (#""\udc00""#, .surrogate, 2), (#""\ud800\u0041""#, .surrogate, 2),
      (#""\ud800x""#, .surrogate, 2),
      ("\"a\nb\"", .control, 3), ("\"\u{0}\"", .control, 2), ("\"abcdefgh\u{1f}\"", .control, 10),
      (#"{"a":1,"a":2}"#, .duplicateKey, 8), (#"{"a":1,"\u0061":2}"#, .duplicateKey, 8),
      (#"{"$bytes":"AR=="}"#, .bytes, 1), (#"{"$bytes":"AAF="}"#, .bytes, 1),
      (#"{"$bytes":1}"#, .bytes, 1), (#"{"$bytes":"A"}"#, .bytes, 1), (#"{"$double":1.5}"#, .double, 1),
      (#"{"$double":"nan"}"#, .double, 1), (#"{"$double":"3ff0000000000000"}"#, .double, 1),
      (#"{"$double":"7FF0000000000001"}"#, .double, 1),
    ] as [(String, JSONFailure.Reason, Int)])
  func `text that is not JSON is refused with line and column`(
    text: String, reason: JSONFailure.Reason, column: Int
  ) {
    #expect(throws: JSONFailure(reason: reason, line: 7, column: column)) { try read(text) }
  }

  @Test(arguments: ["22c32822", "22ff22", "22eda08022", "22c0af22", "22f490808022", "2261626364656667e222"])
  func `text that is not UTF-8 is refused`(digits: String) {
    let bytes = hex(digits)
    #expect { try JSONReader.value(of: bytes.span) } throws: { ($0 as? JSONFailure)?.reason == .invalidText }
  }

  @Test func `a key that occurs twice among many is refused`() {
    let pairs = (0..<5000).map { "\"k\($0)\":0" } + ["\"k17\":1"]
    #expect { try read("{\(pairs.joined(separator: ","))}") } throws: {
      ($0 as? JSONFailure)?.reason == .duplicateKey
    }
  }

  @Test(arguments: [133, 100_000])
  func `values nested too deep are refused before the stack is`(depth: Int) {
    for open in ["[", "{\"a\":"] {
      #expect { try read(String(repeating: open, count: depth)) } throws: { error in
        // An object may be one level deeper if it expresses something that JSON cannot. This one never ends.
        [.tooDeep, .truncated].contains((error as? JSONFailure)?.reason)
      }
    }
    #expect {
      try read(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    } throws: {
      ($0 as? JSONFailure)?.reason == .tooDeep
    }
  }

  @Test func `bytes in the deepest array that a payload may have are read`() throws {
    let open = String(repeating: "[", count: 132)
    let close = String(repeating: "]", count: 132)
    _ = try read(open + "{\"$bytes\":\"\"}" + close).encodedPayload()
    #expect { try read(open + "{\"a\":\"\"}" + close) } throws: { ($0 as? JSONFailure)?.reason == .tooDeep }
    #expect { try read(open + "{\"$$bytes\":\"\"}" + close) } throws: {
      ($0 as? JSONFailure)?.reason == .tooDeep
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a random payload is the same after JSON`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let payload = try CBOR.random(using: &generator).encodedPayload()
      var writer = JSONWriter()
      try writer.payload(payload.span)
      let value = try JSONReader.value(of: writer.bytes.span)
      #expect(try value.encodedPayload() == payload)
      var again = JSONWriter()
      try again.value(value)
      #expect(again.bytes == writer.bytes)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `damaged JSON is read or refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var writer = JSONWriter()
      try writer.value(.random(using: &generator))
      var bytes = writer.bytes
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      guard let value = try? JSONReader.value(of: bytes.span) else { continue }
      writer.removeAll()
      try writer.value(value)
      #expect(try JSONReader.value(of: writer.bytes.span) == value)
    }
  }

  @Test func `a line cut off anywhere is refused`() throws {
    let text = [UInt8](#"{"a":[1,-2.5e3,"x\u00e9🏏",true,null],"b":{"$double":"NaN"}}"#.utf8)
    for end in 0..<text.count {
      let cut = [UInt8](text[..<end])
      #expect(throws: JSONFailure.self) { try JSONReader.value(of: cut.span) }
    }
  }

  @Test(.enabled(if: SharedData.isThere, "needs ../shared/data"))
  func `every naughty string stays unchanged, as text and as key`() throws {
    let file = try SharedData.bytes("text/big-list-of-naughty-strings/blns.json")
    let strings = try JSONReader.value(of: file.span)
    let texts = try #require(strings.array)
    #expect(texts.count == 494)
    for text in texts {
      let value: CBOR = .map([.init(text, text)])
      let payload = try value.encodedPayload()
      var writer = JSONWriter()
      try writer.payload(payload.span)
      #expect(try JSONReader.value(of: writer.bytes.span).encodedPayload() == payload)
    }
  }

  @Test(.enabled(if: SharedData.isThere, "needs ../shared/data"), arguments: 1...32)
  func `a pair of JSON and CBOR has the same value`(number: Int) throws {
    let name = "text/json_roundtrip/roundtrip\(number < 10 ? "0" : "")\(number).json"
    let text = try SharedData.bytes(name)
    let json = try JSONReader.value(of: text.span)
    let cbor = try CBOR(decoding: SharedData.bytes(name + ".cbor"))
    #expect(json == cbor)
  }

  @Test(.enabled(if: SharedData.isThere, "needs ../shared/data"))
  func `the stress test for UTF-8 is refused line by line where it is invalid`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: SharedData.folder.appending(path: "text/markus_kuhn").path)
    let name = try #require(files.first { $0.hasSuffix("UTF-8-test.txt") })
    var refused = 0
    for line in try SharedData.bytes("text/markus_kuhn/\(name)").split(separator: 0x0a) {
      let quoted = [0x22] + line.filter { $0 != 0x22 && $0 != 0x5c && $0 >= 0x20 } + [0x22]
      let isValid = String(validating: quoted, as: UTF8.self) != nil
      let value = try? JSONReader.value(of: quoted.span)
      #expect((value != nil) == isValid)
      refused += isValid ? 0 : 1
    }
    #expect(refused > 50)
  }
}
