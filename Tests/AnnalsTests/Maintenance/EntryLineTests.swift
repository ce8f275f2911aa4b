import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// One line of an import, read as an entry or refused.
@Suite struct EntryLineTests {
  private func read(
    _ text: String, _ options: ImportOptions = ImportOptions(), maximumPayload: Int = 1_000
  ) throws(AnnalsError) -> EntryLine {
    let bytes = Array(text.utf8)
    let line = try EntryLineReader(options, maximumPayload: maximumPayload).line(bytes.span, number: 7)
    guard let line else { throw AnnalsError(.malformed, "the line was left out") }
    return line
  }

  private func refusal(_ text: String, _ options: ImportOptions = ImportOptions()) -> AnnalsError? {
    do {
      _ = try read(text, options)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["$annals", "$erased-1"])
  func `a line of a stream that holds no events is refused`(stream: String) {
    let error = refusal(#"{"stream":"\#(stream)","type":"T","data":{}}"#)
    #expect(
      error?.code == .invalidName && error?.message.contains(stream) == true, "\(String(describing: error))")
  }

  @Test func `a line says stream, type, version, time, id, metadata and data`() throws {
    let line = try read(
      #"{"stream":"a","type":"T","version":"1.2.3","time":"1970-01-01T00:00:01Z","id":"00000000-0000-0000-0000-00000000000f","metadata":{"by":"me"},"data":{"n":1}}"#
    )
    #expect(line.stream == "a")
    #expect(line.event.record.type.text == "T")
    #expect(line.event.record.version == SchemaVersion(1, 2, 3))
    #expect(line.event.time == 1_000_000)
    #expect(line.event.id?.bytes == Array(repeating: 0, count: 15) + [15])
    #expect(line.event.metadata == [0xa1, 0x62, 0x62, 0x79, 0x62, 0x6d, 0x65])
    #expect(line.event.payload == [0xa1, 0x61, 0x6e, 0x01])
  }

  @Test func `fields that a line omits or sets to null are absent`() throws {
    for text in [
      #"{"stream":"a","type":"T","data":{}}"#,
      #"{"stream":"a","type":"T","data":{},"version":null,"time":null,"id":null,"metadata":null,"stub":null}"#,
      #"{"stream":"a","type":"T","data":{},"position":"x","revision":-1,"other":[{}],"metadata":{}}"#,
    ] {
      let event = try read(text).event
      #expect(event.record.version == nil && event.time == nil && event.id == nil)
      #expect(event.metadata == [])
      #expect(event.payload == [0xa0])
    }
  }

  @Test func `stubs are left out where the options say so, and parts are refused all the same`() throws {
    var options = ImportOptions()
    options.skipsStubs = true
    let reader = EntryLineReader(options, maximumPayload: 100)
    let stub = Array(#"{"stream":"$annals","type":"","stub":"request"}"#.utf8)
    #expect(try reader.line(stub.span, number: 1) == nil)
    #expect(refusal(#"{"stream":"a","type":"T","data":{},"path":[1]}"#, options)?.code == .malformed)
    options.keys[.data] = "stub"
    #expect(try read(#"{"stream":"a","type":"T","stub":{}}"#, options).event.payload == [0xa0])
  }

  @Test(arguments: [("1", 1), ("0", 0), ("4294967295", UInt32.max), (#""7""#, 7), (#""7.0""#, 7)])
  func `a whole number is a major version`(text: String, major: UInt32) throws {
    let line = try read(#"{"stream":"a","type":"T","data":{},"version":\#(text)}"#)
    #expect(line.event.record.version == SchemaVersion(major, 0, 0))
  }

  @Test func `options say where fields are and which version all lines have`() throws {
    let options = ImportOptions(
      keys: [.stream: "s", .data: "body", .time: "ts"], version: SchemaVersion(2, 0, 0))
    let line = try read(
      #"{"s":"a","type":"T","body":{},"data":7,"stream":9,"ts":"1970-01-01","version":"1.0.0"}"#, options)
    #expect(line.stream == "a")
    #expect(line.event.payload == [0xa0])
    #expect(line.event.time == 0)
    #expect(line.event.record.version == SchemaVersion(2, 0, 0))
    #expect(
      refusal(#"{"stream":"a","type":"T","data":{}}"#, options)?.message
        == "line 7: the field 'stream' (key 's') is missing")
  }

  @Test(arguments: [
    (#"{"type":"T","data":{}}"#, "the field 'stream' is missing"),
    (#"{"stream":"a","data":{}}"#, "the field 'type' is missing"),
    (#"{"stream":"a","type":"T"}"#, "the field 'data' is missing"),
    (#"{"stream":"a","type":"T","data":null}"#, "the field 'data' is missing"),
    (#"{"stream":1,"type":"T","data":{}}"#, "the field 'stream' is not a text"),
    (#"{"stream":"a","type":["T"],"data":{}}"#, "the field 'type' is not a text"),
    (#"{"stream":"a","type":"T","data":[]}"#, "the field 'data' is not an object"),
    (#"{"stream":"a","type":"T","data":"x"}"#, "the field 'data' is not an object"),
    (#"{"stream":"a","type":"T","data":{"$bytes":"AA=="}}"#, "the field 'data' is not an object"),
    (
      #"{"stream":"a","type":"T","data":{"a":1,"b":{"sealed":{"box":{"$bytes":"AA=="},"key":1}}}}"#,
      "the field 'data' has an encrypted value in 'b', which no keys open in another store"
    ),
    (#"{"stream":"a","type":"T","data":{},"metadata":1}"#, "the field 'metadata' is not an object"),
    (#"{"stream":"a","type":"T","data":{},"id":"1"}"#, "the field 'id' is not the text of a UUID"),
    (#"{"stream":"a","type":"T","data":{},"id":1}"#, "the field 'id' is not the text of a UUID"),
    (
      #"{"stream":"a","type":"T","data":{},"id":"00000000-0000-4000-8000-000000000000"}"#,
      "the field 'id' is not random: a process without descriptors gives it to every event"
    ),
    (#"{"stream":"a","type":"T","data":{},"time":1}"#, "the field 'time' is not a text"),
    (#"{"stream":"a","type":"T","data":{},"time":"0000-00-00"}"#, "the field 'time' is no date"),
    (#"{"stream":"a","type":"T","data":{},"time":"2023-02-29"}"#, "the field 'time' is no date"),
    (#"{"stream":"a","type":"T","data":{},"version":"latest"}"#, "the field 'version' is not one to three"),
    (#"{"stream":"a","type":"T","data":{},"version":"1.2.3.4"}"#, "the field 'version' is not one to three"),
    (#"{"stream":"a","type":"T","data":{},"version":-1}"#, "the field 'version' is neither"),
    (#"{"stream":"a","type":"T","data":{},"version":1.5}"#, "the field 'version' is neither"),
    (#"{"stream":"a","type":"T","data":{},"version":4294967296}"#, "the field 'version' is too large"),
    (#"{"stream":"a","type":"T","data":{},"path":[1]}"#, "it has 'path', as a part"),
    (#"{"stream":"a","type":"T","stub":"erased"}"#, "it has 'stub', so it is what is left"),
    ("[1]", "it is not an object"), ("7", "it is not an object"),
  ])
  func `a line that is no entry is malformed and says why`(text: String, problem: String) throws {
    let error = try #require(refusal(text))
    #expect(error.code == .malformed)
    #expect(error.message.hasPrefix("line 7: \(problem)"), "\(error.message)")
    #expect(error.details.line == 7)
  }

  @Test(arguments: [
    (#"{"stream":"a","type":"T","data":{"n":1e400}}"#, "beyond the range", 38),
    (#"{"stream":"a","type":"T","data":{"n":"\ud800"}}"#, "surrogate", 39),
    (#"{"stream":"a","type":"T","data":{"n":1,"n":2}}"#, "twice", 40),
    (#"{"stream":"a","stream":"b","type":"T","data":{}}"#, "twice", 15),
    (#"{"stream":"a","type":"T","data":{}"#, "ends inside", 35),
    (#"{"stream":"a","type":"T","data":{}}x"#, "follows", 36),
    (#"{"stream":'a'}"#, "cannot stand here", 11),
  ])
  func `a line that is not JSON is malformed at its column`(text: String, problem: String, column: Int) throws
  {
    let error = try #require(refusal(text))
    #expect(error.code == .malformed)
    #expect(error.message.contains(problem), "\(error.message)")
    #expect(error.details.line == 7)
    #expect(error.details.column == column)
  }

  @Test func `bytes that are not UTF-8 are malformed at their column`() throws {
    var bytes = Array(#"{"stream":"a","type":"T","data":{"n":"?"}}"#.utf8)
    bytes[38] = 0xff
    #expect {
      try EntryLineReader(ImportOptions(), maximumPayload: 100).line(bytes.span, number: 3)
    } throws: {
      guard let error = $0 as? AnnalsError else { return false }
      return error.code == .malformed && error.details.line == 3 && error.details.column == 39
    }
  }

  @Test(arguments: ["stream", "type"])
  func `a name that is empty, too long or holds NUL is refused with the line`(field: String) throws {
    let other = field == "stream" ? "type" : "stream"
    for name in ["", String(repeating: "x", count: 501), #"a\u0000b"#] {
      let error = try #require(refusal(#"{"\#(field)":"\#(name)","\#(other)":"x","data":{}}"#))
      #expect(error.code == .invalidName)
      #expect(error.details.line == 7)
    }
    #expect(
      refusal(#"{"\#(field)":"\#(String(repeating: "x", count: 500))","\#(other)":"x","data":{}}"#) == nil)
  }

  @Test func `a payload over the limit is too large`() throws {
    #expect(
      refusal(#"{"stream":"a","type":"T","data":{"n":"\#(String(repeating: "x", count: 994))"}}"#) == nil)
    let error = try #require(
      refusal(#"{"stream":"a","type":"T","data":{"n":"\#(String(repeating: "x", count: 995))"}}"#))
    #expect(error.code == .tooLarge)
    #expect(error.message == "line 7: the field 'data' has at most 1000 bytes, and this one has 1001")
  }

  @Test(arguments: [131, 132, 10_000])
  func `a payload may be 132 deep and not more`(depth: Int) throws {
    let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let error = refusal(#"{"stream":"a","type":"T","data":{"n":\#(nested)}}"#)
    #expect((error == nil) == (depth + 1 <= 132))
    #expect(error == nil || error?.code == .malformed)
  }

  @Test func `numbers keep their value exactly`() throws {
    let line = try read(
      #"{"stream":"a","type":"T","data":{"a":9007199254740993,"b":-18446744073709551616,"c":5.0,"d":-0,"e":18446744073709551615}}"#
    )
    #expect(
      try CBOR(payload: line.event.payload)
        == .map([
          .init(.text("a"), .unsigned(9_007_199_254_740_993)), .init(.text("b"), .negative(.max)),
          .init(.text("c"), .double(5)), .init(.text("d"), .double(-0.0)),
          .init(.text("e"), .unsigned(.max)),
        ]))
  }
}
