import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// Entities, columns and relationships of files in the framework's form.
struct ReadingTests {
  /// Posts with tags, and people in three entities with one table.
  static func blog(model isKnown: Bool = true) throws -> SourceFile {
    try SourceFile(
      entities: [(1, "Person", 0), (2, "Author", 1), (3, "Editor", 1), (4, "Post", 0), (5, "Tag", 0)],
      """
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR,
        ZTITLE VARCHAR, ZTITLE1 VARCHAR, ZBOSS INTEGER, Z1_BOSS INTEGER);
      CREATE TABLE ZPOST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHOR INTEGER,
        ZDRAFT INTEGER, ZSCORE FLOAT, ZPRICE DECIMAL, ZWRITTEN TIMESTAMP, ZID BLOB, ZBODY VARCHAR, ZEXTRA BLOB,
        ZPLACE VARCHAR);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);
      CREATE TABLE Z_4TAGS (Z_4POSTS INTEGER, Z_5TAGS INTEGER, Z_FOK_5TAGS INTEGER,
        PRIMARY KEY (Z_4POSTS, Z_5TAGS));
      INSERT INTO ZPERSON VALUES (1, 2, 1, 'Ann', 'Dr', NULL, 2, 3), (2, 3, 1, 'Ed', NULL, 'Chief', NULL, NULL),
        (3, 1, 1, 'Pat', NULL, NULL, NULL, NULL);
      INSERT INTO ZPOST VALUES
        (1, 4, 1, 1, 1, 0.1, 12.5, 743906532.380816, x'000102030405060708090a0b0c0d0e0f', 'a' || char(0) || 'b',
          x'00ff', 'here'),
        (7, 4, 1, NULL, 0, 3, '0.1', -631064399, x'ffeeddccbbaa99887766554433221100', '', x'', NULL);
      INSERT INTO ZTAG VALUES (1, 5, 1, 'x'), (2, 5, 1, 'y'), (3, 5, 1, 'z');
      INSERT INTO Z_4TAGS VALUES (1, 3, 10), (1, 1, 20), (7, 2, 1);
      """, model: isKnown ? ModelArchive.bytes(model) : nil)
  }

  static let model: [ModelArchive.Entity] = [
    .init(
      name: "Person", attributes: [.init(name: "name", type: 700)],
      relationships: [.init(name: "boss", destination: "Person")]),
    .init(
      name: "Author", superentity: "Person", attributes: [.init(name: "title", type: 700, isOptional: true)]),
    .init(
      name: "Editor", superentity: "Person", attributes: [.init(name: "title", type: 700, isOptional: true)]),
    .init(
      name: "Post",
      attributes: [
        .init(name: "draft", type: 800), .init(name: "score", type: 500), .init(name: "price", type: 400),
        .init(name: "written", type: 900), .init(name: "id", type: 1100), .init(name: "body", type: 700),
        .init(name: "extra", type: 1000), .init(name: "notStored", type: 700),
      ],
      relationships: [
        .init(name: "author", destination: "Author"),
        .init(name: "tags", destination: "Tag", inverse: "posts", isToMany: true),
      ]),
    .init(
      name: "Tag", attributes: [.init(name: "text", type: 700)],
      relationships: [.init(name: "posts", destination: "Post", inverse: "tags", isToMany: true)]),
  ]

  private func entity(_ name: String, of file: SwiftDataFile) throws -> SourceEntity {
    try #require(file.entities.first { $0.name == name })
  }

  @Test func `entities of one table have their own fields and those they inherit`() throws {
    let source = try Self.blog()
    let file = try SwiftDataFile(at: source.url)
    #expect(file.entities.map(\.name) == ["Person", "Author", "Editor", "Post", "Tag"])
    #expect(file.entities.map(\.rows) == [1, 1, 1, 2, 3])
    let (author, editor) = (try entity("Author", of: file), try entity("Editor", of: file))
    #expect(author.superentity == "Person" && author.root == "Person" && author.table == "ZPERSON")
    #expect(author.fields.map(\.name) == ["name", "title", "boss", "bossEntity"])
    #expect(author.fields.map(\.source) == ["ZNAME", "ZTITLE", "ZBOSS", "Z1_BOSS"])
    #expect(editor.fields.map(\.source) == ["ZNAME", "ZTITLE1", "ZBOSS"])
    #expect(author.fields[2].destination == "Person")
    #expect(try entity("Person", of: file).fields.map(\.name) == ["name", "boss"])
  }

  @Test func `the model gives names and types, and columns that it lacks keep theirs`() throws {
    let source = try Self.blog()
    let file = try SwiftDataFile(at: source.url)
    let post = try entity("Post", of: file)
    let types = Dictionary(uniqueKeysWithValues: post.fields.map { ($0.name, $0.type) })
    #expect(
      types == [
        "draft": .bool, "score": .double, "price": .decimal, "written": .date, "id": .uuid, "body": .string,
        "extra": .data, "author": .int, "tags": .references, "place": .string,
      ])
    #expect(post.fields.first { $0.name == "tags" }?.destination == "Tag")
    #expect(post.inverses == [])
    #expect(try entity("Tag", of: file).inverses.map(\.name) == ["posts"])
  }

  @Test func `without a model the columns give names and types`() throws {
    let source = try Self.blog(model: false)
    let file = try SwiftDataFile(at: source.url)
    let post = try entity("Post", of: file)
    #expect(
      post.fields.map { "\($0.name): \($0.type.rawValue)\($0.isOptional ? "?" : "")" } == [
        "author: Int?", "draft: Int?", "score: Double?", "price: Decimal?", "written: Date?", "id: Data?",
        "body: String?", "extra: Data?", "place: String?", "tags: [Int]",
      ])
    #expect(try entity("Editor", of: file).fields.map(\.name) == ["name", "title1"])
  }

  @Test func `every value is in the event exactly`() throws {
    let source = try Self.blog()
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let report = try source.imports(into: log)
    #expect(report.rows == 8 && report.inserted == 8 && report.incomplete == 0)
    let entries = try log.everything()
    let first = try #require(entries.first { $0.stream == "post-1" })
    #expect(first.type == "PostInserted" && first.version == SchemaVersion(1, 0, 0))
    #expect(
      first["primaryKey"] == 1 && first["author"] == 1 && first["draft"] == true && first["score"] == 0.1)
    #expect(first["price"] == "12.5" && first["written"] == 743906532.380816 && first["body"] == "a\u{0}b")
    #expect(
      first["id"] == .bytes(Array(0...15)) && first["extra"] == .bytes([0, 255]) && first["place"] == "here")
    #expect(first["tags"] == [3, 1], "in the order of the relationship")
    let second = try #require(entries.first { $0.stream == "post-7" })
    #expect(second["author"] == nil && second["place"] == nil)
    #expect(second["score"] == 3.0 && second["price"] == "0.1" && second["written"] == -631064399.0)
    #expect(second["body"] == "" && second["extra"] == .bytes([]) && second["tags"] == [2])
    let author = try #require(entries.first { $0.type == "AuthorInserted" })
    #expect(author.stream == "person-1" && author["title"] == "Dr" && author["boss"] == 2)
    #expect(author["bossEntity"] == 3)
    #expect(try EventLog.verify(store.url).findings.isEmpty)
  }

  @Test func `a relationship between rows of one entity, and one without an inverse, have their keys`() throws
  {
    let source = try SourceFile(
      entities: [(1, "Node", 0), (2, "Leaf", 0)],
      """
      CREATE TABLE ZNODE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE ZLEAF (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1LEAVES INTEGER,
        Z_FOK_1LEAVES INTEGER);
      CREATE TABLE Z_1FRIENDS (Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE));
      INSERT INTO ZNODE VALUES (1, 1, 1), (2, 1, 1);
      INSERT INTO ZLEAF VALUES (1, 2, 1, 2, 7);
      INSERT INTO Z_1FRIENDS VALUES (1, 2), (2, 1);
      """,
      model: ModelArchive.bytes([
        .init(
          name: "Node",
          relationships: [
            .init(name: "friends", destination: "Node", inverse: "friends", isToMany: true),
            .init(name: "leaves", destination: "Leaf", isToMany: true),
          ]),
        .init(name: "Leaf"),
      ]))
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    let entries = try log.everything()
    #expect(entries.first { $0.stream == "node-1" }?["friends"] == [2])
    #expect(entries.first { $0.stream == "node-2" }?["friends"] == [1])
    #expect(entries.first { $0.stream == "leaf-1" }?["nodeLeaves"] == 2)
  }

  @Test func `external contents are read from their files, and a missing one is named`() throws {
    let source = try SourceFile(
      "photos.sqlite", entities: [(1, "Photo", 0)],
      """
      CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZIMAGE BLOB, ZPLAIN BLOB);
      INSERT INTO ZPHOTO VALUES
        (1, 1, 1, x'01aabb', x'0102'),
        (2, 1, 1, CAST(x'02' || '5C1D2A38-7F0E-4B5B-8D5B-6C5E9A8B7C6D' || x'00' AS BLOB), x'02'),
        (3, 1, 1, NULL, NULL);
      """)
    let large = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let external = try source.externalFolder().appending(path: "5C1D2A38-7F0E-4B5B-8D5B-6C5E9A8B7C6D")
    try large.write(to: external)
    let file = try SwiftDataFile(at: source.url)
    let mapping = try file.proposal(named: "Photos").mapping
    #expect(mapping.entities[0].fields.map(\.type) == [.attachment, .data])
    #expect(mapping.entities[0].fields.map(\.external) == [true, nil])
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    #expect(try file.importRows(into: log, mapping: mapping).inserted == 3)
    let entries = try log.everything()
    #expect(entries[0]["image"]?["bytes"] == .bytes([0xaa, 0xbb]) && entries[0]["plain"] == .bytes([1, 2]))
    #expect(entries[1]["image"]?["size"] == CBOR(large.count))
    let hash = try #require(entries[1].attachments.first)
    let attachment: Annals.Attachment? = .init(size: UInt64(large.count), hash: hash)
    #expect(try log.content(of: #require(attachment)) == large)
    #expect(entries[2]["image"] == nil)

    // The same bytes in another file change nothing, other bytes are an update.
    #expect(try file.importRows(into: log, mapping: mapping).stored == 0)
    try Data([1, 2, 3]).write(to: external)
    #expect(try file.importRows(into: log, mapping: mapping).updated == 1)
    try FileManager.default.removeItem(at: external)
    let error = #expect(throws: AnnalsError.self) { try file.importRows(into: log, mapping: mapping) }
    #expect(error?.code == .incomplete)
    #expect(error?.message.contains("'image' in row 2 of 'Photo'") == true)
  }

  @Test func `the model says which columns have external storage, also where no file shows it`() throws {
    let source = try SourceFile(
      entities: [(1, "Photo", 0)],
      """
      CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZIMAGE BLOB, ZPLAIN BLOB,
        ZODD VARCHAR);
      INSERT INTO ZPHOTO VALUES (1, 1, 1, x'01aabb', x'01aabb', 'text');
      """,
      model: ModelArchive.bytes([
        .init(
          name: "Photo",
          attributes: [
            .init(name: "image", type: 1000, flags: 4), .init(name: "plain", type: 1000),
            .init(name: "odd", type: 9999),
          ])
      ]))
    _ = try source.externalFolder()
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    let photo = try #require(try log.everything().first)
    #expect(photo["image"]?["bytes"] == .bytes([0xaa, 0xbb]) && photo["plain"] == .bytes([1, 0xaa, 0xbb]))
    #expect(photo["odd"] == "text", "an unknown type has the column's")
  }

  @Test func `a reference that is no id is never followed`() {
    for text in ["../../etc/passwd", "5C1D2A38-7F0E-4B5B-8D5B-6C5E9A8B7C6/", "", "x"] {
      #expect(ExternalValue([2] + Array(text.utf8) + [0]) == nil)
    }
    #expect(ExternalValue([]) == nil && ExternalValue([3, 1]) == nil)
    #expect(ExternalValue([1]) == .content([]))
  }

  @Test func `a column that cannot have the values of the model's type has its own type`() {
    #expect(SwiftDataType.data.fitting(declared: "VARCHAR") == .string)
    #expect(SwiftDataType.data.fitting(declared: "INTEGER") == .int)
    #expect(SwiftDataType.string.fitting(declared: "BLOB") == .data)
    #expect(SwiftDataType.uuid.fitting(declared: "BLOB") == .uuid)
    #expect(SwiftDataType.date.fitting(declared: "INTEGER") == .date)
    #expect(SwiftDataType.bool.fitting(declared: "TIMESTAMP") == .bool)
  }

  @Test func `columns whose rows contradict their order keep their own names`() throws {
    let source = try Self.blog()
    try source.run("UPDATE ZPERSON SET ZTITLE = ZTITLE1, ZTITLE1 = ZTITLE")
    let file = try SwiftDataFile(at: source.url)
    #expect(try entity("Author", of: file).fields.map(\.name) == ["name", "boss", "title1", "bossEntity"])
    #expect(try entity("Editor", of: file).fields.map(\.name) == ["name", "boss", "title"])
  }

  @Test func `tables that are not imported are listed`() throws {
    let source = try Self.blog()
    try source.run("CREATE TABLE ZGHOST (Z_PK INTEGER); CREATE TABLE Z_4STRANGE (Z_4A INTEGER)")
    let file = try SwiftDataFile(at: source.url)
    #expect(SwiftDataInspection(file).text().hasSuffix("tables that are not imported: ZGHOST, Z_4STRANGE\n"))
  }

  @Test func `an index that only the app's code could check is no damage`() throws {
    let source = try Self.blog()
    let app = try source.connection()
    try app.run("PRAGMA writable_schema = ON")
    try app.run(
      """
      CREATE INDEX app ON ZTAG (ZTEXT);
      UPDATE sqlite_master SET sql = 'CREATE INDEX app ON ZTAG (ZTEXT COLLATE appOrder)' WHERE name = 'app';
      """)
    #expect(try SwiftDataFile(at: source.url).entities.first { $0.name == "Tag" }?.rows == 3)
  }
}
