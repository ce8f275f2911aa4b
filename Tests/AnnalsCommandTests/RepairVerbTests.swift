import Foundation
import Testing

@testable import AnnalsCommand

/// The output and effects of `repair`.
@Suite struct RepairVerbTests {
  /// A store of three entries, the second of which is damaged in the first generation.
  ///
  /// - Parameter verb: The command that runs before the damage.
  private func damaged(_ folder: TemporaryDirectory, after verb: String? = nil) async throws -> String {
    let lines = (1...3).map { #"{"stream":"a","type":"T","data":{"mark":"find-me-\#($0)"}}"# }
    let file = try folder.write("lines", lines.joined(separator: "\n"))
    #expect(await CommandRun("import", folder.store, file).status == 0)
    if let verb { #expect(await CommandRun(verb, folder.store).status == 0) }
    let log = URL(filePath: folder.store + "/log-000001.mdb")
    var bytes = try Data(contentsOf: log)
    // Pages that were replaced still hold older copies; every copy is damaged, the live one among them.
    var start = bytes.startIndex
    while let found = bytes.range(of: Data("find-me-2".utf8), in: start..<bytes.endIndex) {
      bytes[found.lowerBound] ^= 0x20
      start = found.upperBound
    }
    try bytes.write(to: log)
    return folder.store
  }

  @Test func `repair names the lost entries and leaves a store that verifies`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await damaged(folder)
    #expect(await CommandRun("verify", store).status == 1)
    let run = await CommandRun("repair", store)
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(run.lines.first?.hasPrefix("position 2: revision 1 of 'a': the checksum does not match") == true)
    #expect(run.lines.last?.hasPrefix("1 entries lost") == true)
    #expect(run.output.contains("generation 2 is in use"))
    #expect(await CommandRun("verify", store).status == 0)
    let again = await CommandRun("repair", store)
    #expect(again.status == 0)
    #expect(again.output == "generation 2 is sound; nothing was done\n")
  }

  @Test func `a generation that was rolled back stays while the one in use is damaged`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await damaged(folder, after: "compact")
    #expect(await CommandRun("verify", store).status == 0)
    #expect(await CommandRun("rollback", store).status == 0)
    let run = await CommandRun("discard-previous", store)
    #expect(run.status == 65)
    #expect(run.errors.contains("position 2: the checksum does not match"))
    #expect(run.errors.contains("nothing was removed"))
    #expect(FileManager.default.fileExists(atPath: store + "/log-000002.mdb"))
    #expect(await CommandRun("repair", store).status == 0)
    #expect(await CommandRun("discard-previous", store).status == 0)
    #expect(await CommandRun("verify", store).status == 0)
  }

  @Test func `a dry run changes nothing`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await damaged(folder)
    let before = try TemporaryDirectory.content(store)
    let run = await CommandRun("repair", store, "--dry-run")
    #expect(run.status == 0)
    #expect(run.lines.last?.hasSuffix("nothing was done") == true)
    #expect(run.lines.first?.hasPrefix("position 2: ") == true)
    #expect(try TemporaryDirectory.content(store) == before)
  }

  @Test func `JSON has every lost entry`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await damaged(folder)
    let report = try #require(await CommandRun("repair", store, "--json").objects().first)
    #expect(report["isDone"] as? Bool == true)
    #expect(report["generation"] as? Int == 2)
    let entries = try #require(report["entries"] as? [[String: Any]])
    #expect(entries.map { $0["position"] as? Int } == [2])
    #expect(entries.first?["stream"] as? String == "a")
    #expect(entries.first?["revision"] as? Int == 1)
    #expect(entries.first?["isKnown"] as? Bool == true)
  }

  // Promise P134.
  @Test func `salvage writes the stored bytes of every entry before a repair`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await damaged(folder)
    let run = await CommandRun("salvage", store)
    #expect(run.status == 1)
    #expect(run.errors == "")
    let lines = try run.objects()
    #expect(lines.map { $0["position"] as? Int } == [1, 2, 3])
    #expect(
      lines.map { ($0["problem"] as? String)?.hasPrefix("the checksum does not match") } == [nil, true, nil])
    // The payload is at the end of the entry, with one bit flipped.
    let stored = try #require(lines[1]["stored"] as? String)
    let payload = try #require(lines[0]["payload"] as? String)
    let digits = { (text: String) in text.utf8.map { String($0, radix: 16) }.joined() }
    #expect(payload.hasSuffix(digits("find-me-1")))
    #expect(stored.hasSuffix(digits("Find-me-2")))
    #expect(lines[2]["stream"] as? String == "a")
  }

  @Test func `salvage of a sound store is its raw entries`() async throws {
    let folder = try TemporaryDirectory()
    let lines = (1...300).map { #"{"stream":"s\#($0 % 7)","type":"T","data":{"n":\#($0)}}"# }
    let file = try folder.write("lines", lines.joined(separator: "\n"))
    #expect(await CommandRun("import", folder.store, file).status == 0)
    let run = await CommandRun("salvage", folder.store)
    #expect(run.status == 0)
    #expect(run.output == (await CommandRun("read", folder.store, "--raw")).output)
  }

  @Test func `salvage goes on after a damaged page, whichever it is`() async throws {
    let folder = try TemporaryDirectory()
    let lines = (1...300).map { #"{"stream":"s\#($0 % 7)","type":"T","data":{"n":\#($0)}}"# }
    let file = try folder.write("lines", lines.joined(separator: "\n"))
    #expect(await CommandRun("import", folder.store, file).status == 0)
    let raw = await CommandRun("read", folder.store, "--raw").lines
    let log = URL(filePath: folder.store + "/log-000001.mdb")
    let sound = try Data(contentsOf: log)
    var (salvaged, refused) = (0, 0)
    for page in 2..<sound.count / 4_096 {
      var bytes = sound
      bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: Data(count: 4_096))
      try bytes.write(to: log)
      let run = await CommandRun("salvage", folder.store)
      if run.status == 65 {
        refused += 1
        continue
      }
      let objects = try run.objects()
      var next = 1
      for (index, (object, line)) in zip(objects, run.lines).enumerated() {
        if index == 0, object["position"] == nil {
          // A table that describes the store is damaged.
          #expect(object["problem"] != nil && run.status == 1)
          continue
        }
        #expect(object["position"] as? Int == next, "page \(page)")
        next = (object["through"] as? Int ?? next) + 1
        guard object["problem"] != nil else {
          #expect(line == raw[next - 2])
          continue
        }
        #expect(run.status == 1)
      }
      #expect(next == 301, "page \(page)")
      if run.status == 1 { salvaged += 1 }
    }
    try sound.write(to: log)
    // The list of tables.
    #expect(refused == 1)
    // A page of each small table but the census, and the first page of the journal's value.
    #expect(salvaged >= 10)
  }

  @Test func `a path that is no store is refused`() async throws {
    let folder = try TemporaryDirectory()
    #expect(await CommandRun("repair", folder.store).status == 66)
  }
}
