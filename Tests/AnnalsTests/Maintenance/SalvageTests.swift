import Foundation
import Testing

@testable import Annals
@testable import AnnalsMaintenance
@testable import AnnalsVerify

/// What `salvage` writes of a store with a damaged page.
@Suite struct SalvageTests {
  private let place: TemporaryStore
  private var file: URL { place.url.appendingPathComponent("log-000001.mdb") }

  init() async throws {
    place = try TemporaryStore()
    let log = try place.open()
    for number in 1...50 {
      let payload = try Payload(["number": .init("\(number)")])
      try await log.append(
        [NewEntry(type: "Placed", version: nil, payload: payload)], to: number % 2 == 0 ? "even" : "odd")
    }
    _ = try log.erase([7], by: "jane", because: "request")
  }

  private func salvaged() throws -> (lines: [String], damaged: UInt64, problem: String?) {
    var salvage = try SalvageLines(storeAt: place.url)
    var text = ""
    while let page = try salvage.nextPage() { text += String(decoding: page, as: UTF8.self) }
    return (text.split(separator: "\n").map(String.init), salvage.damaged, salvage.problem)
  }

  /// Fills the first page of zeros that `verify` finds in a table.
  private func damage(_ table: String) throws {
    let bytes = try Data(contentsOf: file)
    for page in 2..<bytes.count / Damage.pageSize {
      try Data(Damage.zeroedPage(page).applied(to: Array(bytes))).write(to: file)
      let first = try EventLog.verify(place.url).findings.first
      if first?.problem.hasPrefix("table \(table), page \(page),") == true { return }
    }
    Issue.record("no page of '\(table)'")
  }

  @Test func `a sound store has no problem`() throws {
    let (lines, damaged, problem) = try salvaged()
    #expect(lines.count == 51 && damaged == 0 && problem == nil)
    #expect(lines[6].contains("\"cause\":\"erased\""))
  }

  @Test func `without the census every entry is written as before`() throws {
    let sound = try salvaged().lines
    try damage("census")
    let (lines, damaged, problem) = try salvaged()
    #expect(lines == sound && damaged == 0 && problem == nil)
  }

  @Test func `without the journal every entry is written, after a line that says what may be missing`()
    throws
  {
    let sound = try salvaged().lines
    try damage("journal")
    let (lines, damaged, problem) = try salvaged()
    #expect(Array(lines.dropFirst()) == sound && damaged == 0)
    #expect(problem?.contains("table journal") == true)
    #expect(problem?.hasSuffix("; the newest commit may be missing") == true)
    #expect(try lines.first == json(problem))
  }

  @Test(arguments: ["schemas", "kinds"])
  func `without the types of entries their bytes are written`(table: String) throws {
    let sound = try salvaged().lines
    try damage(table)
    let (lines, damaged, problem) = try salvaged()
    #expect(problem?.contains("table \(table)") == true)
    #expect(try lines.first == json(problem))
    #expect(lines.count == sound.count + 1)
    // The record of the erasure has no type.
    #expect(lines.last == sound.last && damaged == 50)
    let raw = lines[1...50]
    #expect(raw.allSatisfy { $0.contains("the store knows no kind 1") && $0.contains("\"stored\":\"") })
  }

  @Test func `without meta every entry is written, and of stubs the bytes`() throws {
    let sound = try salvaged().lines
    try damage("meta")
    let (lines, damaged, problem) = try salvaged()
    #expect(problem?.contains("table meta") == true)
    #expect(try lines.first == json(problem))
    #expect(damaged == 2)
    for (line, before) in zip(lines.dropFirst(), sound) {
      #expect(line == before || before.contains("\"stub\":") && line.contains("\"stored\":\""))
    }
    #expect(lines.count == sound.count + 1)
  }

  private func json(_ problem: String?) throws -> String {
    "{\"problem\":\"\(try #require(problem))\"}"
  }
}
