import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// Only reads show the content of events: no error has a word of it.
@Suite struct SecrecyTests {
  private static let secret = "hunter2-Zq7"

  /// Everything that an error can be made to say.
  private static func words(_ error: any Error) -> String {
    var text = "\(error) \(String(reflecting: error))"
    if let error = error as? AnnalsError {
      text += " \(error.message) \(error.details)"
      if let underlying = error.underlying { text += words(underlying) }
    }
    return text
  }

  private static func entry(id: UUID? = nil, size: Int = 1) throws -> NewEntry {
    NewEntry(
      type: "Placed", version: SchemaVersion(1, 0, 0),
      payload: try Payload(["lines": .text(String(repeating: secret, count: size)), "who": .text(secret)]),
      id: id,
      metadata: ["user": .init(secret)])
  }

  /// Collects the texts and codes of errors.
  private struct Collection {
    var texts: [String] = []
    var codes: Set<String> = []

    mutating func add(_ name: String, _ body: () async throws -> Void) async {
      do {
        try await body()
        Issue.record("\(name) threw nothing")
      } catch {
        texts.append(SecrecyTests.words(error))
        if let error = error as? AnnalsError { codes.insert(error.code.description) }
      }
    }
  }

  @Test func `no error of an append, a read, a check or an import has the content of an event`() async throws
  {
    let place = try TemporaryStore()
    var found = Collection()
    let ids = [UUID(), UUID()]
    do {
      let log = try place.open()
      try await log.append([Self.entry(id: ids[0])], to: "a")
      let small = try place.open(StoreOptions(maximumPayload: 64))
      let reader = try place.open(StoreOptions(access: .readOnly))
      await found.add("a conflict") { try await log.append([Self.entry()], to: "a", expecting: .noStream) }
      await found.add("an id twice") {
        try await log.append([Self.entry(id: ids[1]), Self.entry(id: ids[1])], to: "a")
      }
      await found.add("half a call") {
        try await log.append([Self.entry(id: ids[0]), Self.entry(id: ids[1])], to: "a")
      }
      await found.add("a large payload") { try await small.append([Self.entry(size: 100)], to: "a") }
      await found.add("a reader's append") { try await reader.append([Self.entry()], to: "a") }
      let text = Array(Self.secret.utf8)
      await found.add("bytes that are no CBOR") {
        let payload = Payload(stored: [0x7f] + text)
        _ = try payload.value
        try await log.append([NewEntry(type: "T", version: nil, payload: payload)], to: "a")
      }
      for line in [
        #"{"stream":"s","type":"T","data":{"a":"\#(Self.secret)""#,
        #"{"stream":"s","type":"T","data":{"a":"\#(Self.secret)\q"}}"#,
        #"{"stream":"s","type":"T","data":{"a":"\#(Self.secret)","n":1e400}}"#,
        #"{"stream":"s","type":"T","data":{"\#(Self.secret)":1,"\#(Self.secret)":2}}"#,
        #"{"stream":"s","type":"T","data":["\#(Self.secret)"]}"#,
        #"{"stream":"s","type":"T","data":{"a":"\#(Self.secret)"} \#(Self.secret)"#,
        #"{"stream":"s","type":"T","data":"\#(Self.secret)"}"#,
        #"{"stream":"s","type":"T","data":{},"metadata":"\#(Self.secret)"}"#,
        #"{"data":{"a":"\#(Self.secret)"}}"#,
      ] {
        await found.add("the line \(line)") { try await log.importText(line + "\n") }
      }
    }
    await found.add("an event that does not fit its type") {
      let store = try EventStore(at: place.url, plan: Specimen.Plan.self)
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        while let entry = try entries.next() { _ = entry.event }
      }
    }
    // Damage in the very bytes.
    let file = place.url.appendingPathComponent(Specimen.file)
    var bytes = try Data(contentsOf: file)
    let mark = Data(Self.secret.utf8)
    let hit = try #require(bytes.range(of: mark), "the payload is not in the file as it was given")
    var start = bytes.startIndex
    while let range = bytes.range(of: mark, in: start..<bytes.endIndex) {
      // The rest of the word stays readable.
      bytes[range.upperBound] ^= 0x20
      start = range.upperBound
    }
    #expect(hit.count == mark.count)
    try bytes.write(to: file)
    let log = try place.open()
    await found.add("a damaged entry") {
      _ = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    }
    let report = try EventLog.verify(place.url)
    #expect(!report.isClean)
    found.texts += report.findings.map { "\($0) \(String(reflecting: $0))" }

    #expect(found.texts.count > 15)
    #expect(
      found.codes.isSuperset(of: [
        "conflict", "duplicateID", "partialDuplicate", "tooLarge", "readOnly", "malformed", "damaged",
      ]), "\(found.codes)")
    for text in found.texts { #expect(!text.contains(Self.secret), "\(text)") }
  }
}
