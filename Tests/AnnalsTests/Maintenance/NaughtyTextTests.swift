import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Text that breaks programs, as names, keys and values.
///
/// After an import and a dump it is unchanged, or a rule refuses it.
@Suite(.enabled(if: SharedData.isThere, "the material lies beside the package and is no part of it"))
struct NaughtyTextTests {
  /// A text as JSON, by other code than that under test.
  private func json(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }

  @Test func `naughty strings survive as stream, type, key, value and metadata`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let texts = try JSONDecoder().decode(
      [String].self, from: Data(SharedData.bytes("text/big-list-of-naughty-strings/blns.json")))
    let allowed = texts.filter { (1...500).contains($0.utf8.count) && !$0.utf8.contains(0) }
    #expect(allowed.count > 400)
    let lines = try texts.map { text in
      let quoted = try json(text)
      return
        #"{"stream":\#(quoted),"type":\#(quoted),"data":{\#(quoted):\#(quoted)},"metadata":{\#(quoted):\#(quoted)}}"#
    }
    for (text, line) in zip(texts, lines) {
      let found = await error { () throws(AnnalsError) in try await log.importText(line) }
      #expect(found?.code == (allowed.contains { $0.utf8.elementsEqual(text.utf8) } ? nil : .invalidName))
    }
    // Read back by Foundation's decoder, which knows nothing of the writer.
    struct Line: Decodable {
      let stream: String
      let type: String
      let data: [String: String]
      let metadata: [String: String]
    }
    let back = try log.lines().map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    #expect(back.count == allowed.count)
    for (line, text) in zip(back, allowed) {
      for found in [line.stream, line.type]
        + [line.data, line.metadata].flatMap({ [$0.first?.key, $0.first?.value] }).compactMap({ $0 })
      {
        #expect(found.utf8.elementsEqual(text.utf8))
      }
    }
    // The dump can be imported again, with an equal dump as the result.
    let copy = try TemporaryStore()
    let second = try copy.open()
    try await second.importText(try log.lines().joined(separator: "\n"))
    #expect(try second.lines() == log.lines())
  }

  @Test func `lines of the UTF-8 stress test survive byte for byte or are refused at their column`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try place.open()
    let bytes = try SharedData.bytes("text/markus_kuhn/UTF-8-test.txt")
    var stored: [[UInt8]] = []
    var refused = 0
    for line in bytes.split(separator: 0x0a) {
      // No line of the file has what JSON must escape but these two.
      let plain = line.filter { $0 != 0x22 && $0 != 0x5c && $0 >= 0x20 }
      let text = Array(#"{"stream":"a","type":"T","data":{"n":""#.utf8) + plain + Array(#""}}"#.utf8)
      let isValid = String(validating: plain, as: UTF8.self) != nil
      let found = await error { () throws(AnnalsError) in try await log.importBytes(text) }
      #expect(found?.code == (isValid ? nil : .malformed))
      #expect((found?.details.column ?? 0 > 38) == !isValid)
      if isValid { stored.append(plain) } else { refused += 1 }
    }
    #expect(stored.count > 100)
    #expect(refused > 50)
    let payloads = try log.read { snapshot in
      try snapshot.all().map { entry -> [UInt8] in
        guard case .payload(let payload) = entry.content else { return [] }
        return Array((try payload.value["n"]?.text ?? "").utf8)
      }
    }
    #expect(payloads == stored)
  }
}

@Suite struct OddNameTests {
  @Test(arguments: ["..", "/", "a/../../b", "🦜", "a\nb", "\u{202e}", "CURRENT", "\u{7f}", "-", "--stream"])
  func `an odd name is only a name`(name: String) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let before = try FileManager.default.subpathsOfDirectory(atPath: place.directory.path).sorted()
    let quoted = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
    try await log.importText(#"{"stream":\#(quoted),"type":\#(quoted),"data":{\#(quoted):1}}"#)
    #expect(try log.lines(EntrySelection(stream: StreamName(name))).count == 1)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: place.directory.path).sorted() == before)
  }

  @Test func `names that differ in normalisation only are two`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for name in ["\u{e9}", "e\u{301}"] {
      try await log.importText(#"{"stream":"\#(name)","type":"\#(name)","data":{"\#(name)":"\#(name)"}}"#)
    }
    let streams = try log.read { snapshot in
      var streams = try snapshot.streams()
      var found: [[UInt8]] = []
      while let stream = try streams.next() { found.append(Array(stream.name.text.utf8)) }
      return found
    }
    #expect(streams == [[0x65, 0xcc, 0x81], [0xc3, 0xa9]])
    #expect(try log.info().census.count == 2)
  }
}
