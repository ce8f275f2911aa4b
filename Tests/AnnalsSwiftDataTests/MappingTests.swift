import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// The mapping file.
struct MappingTests {
  private let source: SourceFile
  private let mapping: SwiftDataMapping

  init() throws {
    source = try ReadingTests.blog()
    mapping = try SwiftDataFile(at: source.url).proposal(named: "blog").mapping
  }

  private func error(_ text: String) -> AnnalsError? {
    #expect(throws: AnnalsError.self) { try SwiftDataMapping(json: Data(text.utf8)) }
  }

  @Test func `a mapping is the same after it was written and read`() throws {
    let json = try mapping.json()
    #expect(try SwiftDataMapping(json: json) == mapping)
    #expect(mapping.schema == "BlogV1" && mapping.source == SourceFile.id && !mapping.history)
    #expect(mapping.entities.map(\.stream) == ["person-", "person-", "person-", "post-", "tag-"])
  }

  @Test func `a wrong file is refused with the member that is wrong`() throws {
    #expect(error("{")?.message.contains("it is no JSON") == true)
    #expect(error("{}")?.message.contains("the file has no member 'format'") == true)
    let text = String(decoding: try mapping.json(), as: UTF8.self)
    let cases: [(String, String, String)] = [
      ("\"formatVersion\" : 1", "\"formatVersion\" : 2", "version 1 is read"),
      ("annals-swiftdata-mapping", "other", "the format 'other'"),
      ("\"version\" : \"1.0.0\"", "\"version\" : \"one\"", "'one' is no version"),
      (
        "\"type\" : \"Bool\"", "\"type\" : \"Boolean\"",
        "entities[3].fields[1].type' is none of 'Int', 'Double'"
      ),
      ("\"stream\" : \"tag-\"", "\"stream\" : 5", "entities[4].stream'"),
      ("\"inserted\" : \"TagInserted\"", "\"inserted\" : \"PostInserted\"", "the event 'PostInserted' twice"),
      ("\"field\" : \"draft\"", "\"field\" : \"score\"", "the field 'score' of the entity 'Post' twice"),
      ("\"entity\" : \"Tag\"", "\"entity\" : \"Post\"", "the entity 'Post' twice"),
      ("\"inserted\" : \"TagInserted\"", "\"inserted\" : \"\"", "a name of the entity 'Tag'"),
    ]
    for (old, new, message) in cases {
      #expect(text.contains(old), "\(old)")
      let error = error(text.replacing(old, with: new))
      #expect(error?.code == .malformed)
      #expect(error?.message.contains(message) == true, "\(new): \(error?.message ?? "")")
    }
  }

  @Test func `names and types of the file that the mapping does not fit are refused`() throws {
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let changes: [((inout SwiftDataMapping) -> Void, String)] = [
      ({ $0.entities[4].entity = "Label" }, "the entity 'Label', and 'app.store' has only 'Person'"),
      ({ $0.entities[4].fields[0].column = "ZGONE" }, "the column 'ZGONE' of the entity 'Tag'"),
      ({ $0.entities[4].fields[0].type = .references }, "write the column's type"),
      ({ $0.entities[4].stream = "post-" }, "for rows of 'Post', and 'post-' for those of 'Tag'"),
    ]
    for (change, message) in changes {
      let error = #expect(throws: AnnalsError.self) { try source.imports(into: log, change) }
      #expect(error?.code == .malformed)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
    #expect(try log.everything().isEmpty)
  }

  @Test func `an edited mapping has its names and leaves entities and fields out`() throws {
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let report = try source.imports(into: log) { mapping in
      mapping.entities = [mapping.entities[4]]
      mapping.entities[0].stream = "labels/"
      mapping.entities[0].inserted = "LabelAdded"
      mapping.entities[0].key = "number"
      mapping.entities[0].fields[0].field = "words"
      mapping.version = "2.1.0"
    }
    #expect(report.inserted == 3)
    let entry = try #require(try log.everything().first)
    #expect(
      entry.stream == "labels/1" && entry.type == "LabelAdded" && entry.version == SchemaVersion(2, 1, 0))
    #expect(entry["number"] == 1 && entry["words"] == "x")
  }

  @Test func `a renamed entity keeps its streams with an edited mapping`() throws {
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    try source.run(
      """
      ALTER TABLE ZTAG RENAME TO ZLABEL; UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_NAME = 'Tag';
      DELETE FROM Z_MODELCACHE; DELETE FROM ZLABEL WHERE Z_PK = 2;
      UPDATE ZLABEL SET ZTEXT = 'changed' WHERE Z_PK = 1;
      """)
    let file = try SwiftDataFile(at: source.url)
    var edited = mapping
    edited.entities[4].entity = "Label"
    let report = try file.importRows(into: log, mapping: edited)
    #expect(report.updated == 1 && report.deleted == 1 && report.inserted == 0)
  }

  @Test func `names become Swift names`() {
    #expect(SwiftName.identifier("größe 1") == "gr__e_1")
    #expect(SwiftName.identifier("1st") == "_1st")
    #expect(SwiftName.identifier("") == "_value")
    #expect(SwiftName.identifier("self") == "self_")
    #expect(SwiftName.declared("class") == "`class`")
    #expect(SwiftName.literal("a\"b\\c\n\u{202e}") == #""a\"b\\c\u{a}\u{202e}""#)
    var names: Set<String> = []
    #expect(["a", "A", "a"].map { SwiftName.distinct($0, &names) } == ["a", "A2", "a3"])
  }
}
