import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Lines of JSON into a log, batch by batch.
@Suite struct LogImportTests {
  /// `count` lines of three streams, the `bad`th of which is no JSON.
  private func lines(_ count: Int, bad: Int? = nil, ids: Bool = false) -> [String] {
    (1...count).map { number in
      if number == bad { return #"{"stream":"s1","type":"T","data":{"n":\#(number)}"# }
      let id = ids ? #""id":"\#(Self.id(number))","# : ""
      return #"{"stream":"s\#(number % 3)","type":"T",\#(id)"data":{"n":\#(number)}}"#
    }
  }

  private static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private func text(_ lines: [String]) -> String {
    lines.joined(separator: "\n") + "\n"
  }

  /// The number that each entry's data has, in the order of the log.
  private func numbers(_ log: EventLog) throws -> [Int] {
    try log.read { snapshot in
      try snapshot.all().compactMap { entry in
        guard case .payload(let payload) = entry.content else { return nil }
        return try payload.value["n"]?.integer
      }
    }
  }

  @Test(arguments: [1, 3_999, 4_000, 4_001, 9_000])
  func `every line is an entry, in order`(count: Int) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    var told: [ImportReport] = []
    var rest = Array(text(lines(count)).utf8)[...]
    let report = try await log.importLines {
      if rest.isEmpty { return nil }
      defer { rest = rest.dropFirst(1_000) }
      return Array(rest.prefix(1_000))
    } progress: {
      told.append($0)
    }
    #expect(report.lines == count)
    #expect(report.stored == UInt64(count))
    #expect(told.map(\.lines) == Array(stride(from: 4_000, to: count, by: 4_000)) + [count])
    #expect(try numbers(log) == Array(1...count))
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `input is not asked for more after its end`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    var parts = [text(lines(2)), nil, text(lines(1)), nil]
    let report = try await log.importLines { parts.removeFirst().map { Array($0.utf8) } }
    #expect(report.stored == 2 && parts.count == 2)
  }

  @Test @MainActor func `an import stays on the actor of its caller`() async throws {
    let place = try TemporaryStore()
    var chunks = [Array(text(lines(2)).utf8)]
    var reported = 0
    try await place.open().importLines {
      MainActor.assertIsolated()
      return chunks.popLast()
    } progress: {
      MainActor.assertIsolated()
      reported = $0.lines
    }
    #expect(reported == 2)
  }

  @Test func `each batch is one append call`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.importText(text(lines(8_100)))
    let ends = try log.read { snapshot in
      try snapshot.all().filter(\.isEndOfCall).map(\.position.rawValue)
    }
    #expect(ends == [4_000, 8_000, 8_100])
  }

  @Test func `a batch is closed by the line that reaches four mebibytes`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let line = #"{"stream":"a","type":"T","data":{"n":"\#(String(repeating: "x", count: 3 << 20))"}}"#
    try await log.importBytes(Array(text([line, line, line]).utf8))
    let ends = try log.read { snapshot in
      try snapshot.all().filter(\.isEndOfCall).map(\.position.rawValue)
    }
    #expect(ends == [2, 3])
  }

  @Test(arguments: [(1, 0), (2, 0), (4_000, 0), (4_001, 4_000), (4_500, 4_000), (8_001, 8_000)])
  func `the first bad line is named, and whole batches before it are kept`(bad: Int, kept: Int) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let text = text(lines(8_100, bad: bad))
    let found = try #require(await error { () throws(AnnalsError) in try await log.importText(text) })
    #expect(found.code == .malformed)
    #expect(found.details.line == bad)
    #expect(found.details.linesStored == kept)
    #expect(found.message.contains("line \(bad), column"))
    #expect(try numbers(log) == Array(1...8_100).filter { $0 <= kept })

    // The repaired input continues after the stored lines.
    let mended = self.text(lines(8_100))
    let report = try await log.importText(mended, ImportOptions(skip: kept))
    #expect(report.stored == UInt64(8_100 - kept))
    #expect(try numbers(log) == Array(1...8_100))
  }

  @Test func `lines that are skipped are counted with the empty ones, and not read`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let report = try await log.importText(
      "not JSON\r\n\r\n\n{\"stream\":\"a\",\"type\":\"T\",\"data\":{\"n\":4}}\r\n\n", ImportOptions(skip: 3))
    #expect(report == ImportReport(lines: 5, stored: 1))
    #expect(try numbers(log) == [4])
  }

  @Test(arguments: [2, .max])
  func `skipping more lines than there are is refused, and all of them is not`(skip: Int) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let found = try #require(
      await error { () throws(AnnalsError) in
        try await log.importText("x\n", ImportOptions(skip: skip))
      })
    #expect(found.code == .wrongUse && found.message.contains("ends after line 1, and \(skip) lines"))
    #expect(try await log.importText("x\n", ImportOptions(skip: 1)) == ImportReport(lines: 1, stored: 0))
    #expect(try await log.importText("") == ImportReport(lines: 0, stored: 0))
  }

  @Test func `a byte order mark, CRLF and a last line without end are taken`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let report = try await log.importText("\u{feff}" + lines(3).joined(separator: "\r\n"))
    #expect(report.stored == 3)
    #expect(try numbers(log) == [1, 2, 3])
  }

  @Test func `an input that fails stops the import after the stored batches`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    var rest = Array(text(lines(4_500)).utf8)[...]
    let found = await error { () throws(AnnalsError) in
      try await log.importLines { () throws(AnnalsError) in
        if rest.isEmpty { throw AnnalsError(.inputOutput, "the input is gone") }
        defer { rest = rest.dropFirst(1_000) }
        return Array(rest.prefix(1_000))
      }
    }
    #expect(found?.code == .inputOutput)
    #expect(found?.details.linesStored == 4_000)
    #expect(try numbers(log).count == 4_000)
  }

  @Test func `no error has the content of a line`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let secret = "my-secret-marker"
    for line in [
      #"{"stream":"a","type":"T","data":{"n":"\#(secret)""#, #"{"stream":"a","data":{"n":"\#(secret)"}}"#,
      #"{"stream":"a","type":"T","data":{"\#(secret)":1,"\#(secret)":2}}"#,
      #"{"stream":"a","type":"T","data":"\#(secret)"}"#,
      #"{"stream":"a","type":"T","data":{},"metadata":"\#(secret)"}"#,
      #"{"stream":"a","type":"T","data":{},"time":"\#(secret)"}"#,
      #"{"stream":"a","type":"T","data":{},"id":"\#(secret)"}"#,
      #"{"stream":"a","type":"T","data":{},"version":"\#(secret)"}"#,
    ] {
      let found = try #require(await error { () throws(AnnalsError) in try await log.importText(line) })
      #expect(!"\(found)\(found.details)".contains(secret))
    }
  }
}

extension LogImportTests {
  @Test(arguments: [10, 4_000, 5_300])
  func `the same lines with ids are not stored again`(count: Int) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let text = text(lines(count, ids: true))
    #expect(try await log.importText(text).stored == UInt64(count))
    #expect(try await log.importText(text) == ImportReport(lines: count, stored: 0, repeated: UInt64(count)))
    #expect(try numbers(log) == Array(1...count))
  }

  @Test func `of lines with ids of which some are there, the others are stored`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let all = lines(5_500, ids: true)
    try await log.importText(text(Array(all[..<1_234])))
    let whole = try await log.importText(text(all))
    #expect(whole == ImportReport(lines: 5_500, stored: 4_266, repeated: 1_234))
    let last = try await log.importText(text(Array(all[5_000...])))
    #expect(last == ImportReport(lines: 500, stored: 0, repeated: 500))
    #expect(try numbers(log) == Array(1...5_500))
  }

  @Test func `a line without an id is recognised only after an unchanged line with one`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let first = [
      #"{"stream":"a","type":"T","id":"\#(Self.id(1))","data":{"n":1}}"#,
      #"{"stream":"a","type":"T","data":{"n":2}}"#, #"{"stream":"a","type":"T","data":{"n":3}}"#,
    ]
    try await log.importText(text(first))
    #expect(try await log.importText(text(first)).repeated == 3)
    let other = [first[0], first[2]]
    #expect(try await log.importText(text(other)) == ImportReport(lines: 2, stored: 1, repeated: 1))
    #expect(try numbers(log) == [1, 2, 3, 3])
  }

  @Test func `lines without ids are stored every time`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for _ in 0..<2 { try await log.importText(text(lines(3))) }
    #expect(try numbers(log) == [1, 2, 3, 1, 2, 3])
  }

  @Test func `an id twice in a batch is an error that names the lines`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let line = #"{"stream":"a","type":"T","id":"\#(Self.id(1))","data":{"n":1}}"#
    let found = await error { () throws(AnnalsError) in try await log.importText(text([line, line])) }
    #expect(found?.code == .duplicateID)
    #expect(found?.message.hasPrefix("lines 1 to 2: ") == true)
    #expect(found?.details.linesStored == 0)
    #expect(try numbers(log) == [])
  }

  @Test(arguments: [0, 4_000])
  func `if it is unknown whether a batch is stored, the error does not say that it is not`(lines: Int) {
    let found = AnnalsError(.outcomeUnknown, "lines 1 to 9: it is not known").afterStoring(lines: lines)
    #expect(found.code == .outcomeUnknown && found.details.linesStored == lines)
    #expect(found.message.contains("batch") && found.message.contains("check before"))
    #expect(!found.message.contains("no line was stored") && !found.message.contains("go on with --skip 0"))
    let known = AnnalsError(.diskFull, "lines 1 to 9: no room").afterStoring(lines: lines)
    #expect(!known.message.contains("batch"))
  }
}

extension ImportReport {
  fileprivate init(lines: Int, stored: UInt64, repeated: UInt64 = 0) {
    self.init(lines: lines)
    self.stored = stored
    self.repeated = repeated
  }
}
