import Testing

@Suite struct SchemaMacroTests {
  @Test func `a schema gets its version, its event and the check of its records`() {
    let expansion = Expansion(
      of: """
        @Schema(2, 0, 0) enum V2 {
          typealias Shipped = V1.Shipped
          struct Default: Record {
            var total: Int
          }
        }
        """)
    #expect(expansion.messages == [])
    #expect(
      Expansion.lines(of: expansion.text)
        == Expansion.lines(
          of: """
            enum V2 {
              typealias Shipped = V1.Shipped
              struct Default: Record {
                var total: Int
              }

              static let version = Annals.SchemaVersion(2, 0, 0)

              /// An event of this schema: one case for each of its records.
              enum Event: Annals.SchemaEvent {
                /// The unchanged records of the schema.
                enum Carried {
                  typealias Shipped = Annals.CarriedRecord<V2.Shipped>.Itself
                }
                case shipped(Carried.Shipped)
                case `default`(V2.Default)
                static var records: [Annals.SchemaRecord] {
                  [
                    .init("shipped", Carried.Shipped.self),
                    .init("default", V2.Default.self)
                  ]
                }
                var caseIndex: Swift.Int {
                  switch self {
                  case .shipped:
                    0
                  case .`default`:
                    1
                  }
                }
                var tags: [Annals.EventTag] {
                  switch self {
                  case .shipped(let record):
                    Carried.Shipped.tags(record)
                  case .`default`(let record):
                    V2.Default.tags(record)
                  }
                }
                func encode(into payload: inout [Swift.UInt8]) throws(Annals.CodingFailure) {
                  switch self {
                  case .shipped(let record):
                    try record.encode(into: &payload)
                  case .`default`(let record):
                    try record.encode(into: &payload)
                  }
                }
                consuming func send(through steps: Steps, _ origin: Annals.Origin, into buffer: Annals.EventBuffer) throws(Annals.StepFailure) {
                  switch consume self {
                  case .shipped(let record):
                    try steps.shipped.run(record, origin, buffer)
                  case .`default`(let record):
                    try steps.`default`.run(record, origin, buffer)
                  }
                }
                /// What happens next to each record.
                struct Steps: Swift.Sendable {
                  let shipped: Annals.RecordStep<Carried.Shipped>
                  let `default`: Annals.RecordStep<V2.Default>
                  init(_ source: inout some Annals.StepSource<Event>) throws(Annals.AnnalsError) {
                    let cases = Cases()
                    self.shipped = try cases.shipped.step(from: &source)
                    self.`default` = try cases.`default`.step(from: &source)
                  }
                }
                static func steps(from source: inout some Annals.StepSource<Event>) throws(Annals.AnnalsError) -> Steps {
                  try Steps(&source)
                }
                /// The records by name, for rules.
                struct Cases: Swift.Sendable {
                  var shipped: Annals.RecordCase<Event, Carried.Shipped> {
                    .init(0, step: {
                        $0.shipped
                      }) {
                      Event.shipped($0)
                    }
                  }
                  var `default`: Annals.RecordCase<Event, V2.Default> {
                    .init(1, step: {
                        $0.`default`
                      }) {
                      Event.`default`($0)
                    }
                  }
                }
                static var cases: Cases {
                  Cases()
                }
              }
            }

            extension V2: Annals.VersionedSchema {
              private static func carries() {
                _ = Event.Carried.Shipped.self
                _ = Annals.CarriedRecord<Default>.self
              }
            }
            """))
  }

  @Test func `an error of the compiler about a record is on the line of the record`() {
    let text = Expansion(
      of: "@Schema(2, 0, 0) enum V2 {\n  typealias A = V1.A\n  @Record struct B { var n: Int }\n}"
    ).text
    #expect(text.contains("#sourceLocation(file: \"Shop.swift\", line: 2)"), "\(text)")
    #expect(text.contains("#sourceLocation(file: \"Shop.swift\", line: 3)"), "\(text)")
  }

  @Test func `the generated code of a public schema is public`() {
    let text = Expansion(
      of: "@Schema(1, 0, 0) public enum V1 { public struct Placed: Record { public var total: Int } }"
    ).text
    for declaration in [
      "static let version", "enum Event", "static var records", "var caseIndex", "func encode",
      "consuming func send", "struct Steps", "static func steps", "struct Cases", "var placed",
      "static var cases",
    ] {
      #expect(text.contains("public \(declaration)"), "\(declaration)")
    }
  }

  @Test func `the generated code of a package's schema is the package's`() {
    let expansion = Expansion(
      of: "@Schema(1, 0, 0) package enum V1 { package struct Placed: Record { var total: Int } }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("package enum Event: Annals.SchemaEvent"))
  }

  @Test(arguments: [
    "Record", "Annals.Record", "Equatable, Record", "Record & Equatable", "@preconcurrency Record",
    "TreeRecord", "Annals.ShapedRecord",
  ])
  func `a struct that says it is a record is one`(clause: String) {
    let expansion = Expansion(of: "@Schema(1, 0, 0) enum V1 { struct Placed: \(clause) { var total: Int } }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("case placed(V1.Placed)"))
  }

  @Test(arguments: ["@Record", "@Annals.Record", "@Record(\"placed\")"])
  func `a struct that is marked as a record is one`(mark: String) {
    let expansion = Expansion(of: "@Schema(1, 0, 0) enum V1 { \(mark) struct Placed { var total: Int } }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("case placed(V1.Placed)"))
  }

  @Test(arguments: ["@Value struct Line", "struct Line: Codable", "struct Line: Annals.StoredValue"])
  func `a type that says how it is stored in a record is left alone`(line: String) {
    let expansion = Expansion(
      of: """
        @Schema(1, 0, 0) enum V1 {
          struct Placed: Record { var line: Line }
          \(line) { var text: String }
        }
        """)
    #expect(expansion.messages == [])
    #expect(!expansion.text.contains("case line"))
  }

  @Test(arguments: [": Other.Record", ": Records", ""])
  func `any other struct is no record`(clause: String) {
    let expansion = Expansion(
      of:
        "@Schema(1, 0, 0) enum V1 { struct Placed: Record { var n: Int }; struct Line\(clause) { var n: Int } }"
    )
    #expect(!expansion.text.contains("case line"))
  }

  @Test(arguments: ["draft", "released"])
  func `a schema says whether it may still change`(name: String) {
    let text = Expansion(of: "@Schema(1, 0, 0, .\(name)) public enum V1 { public typealias A = V0.A }").text
    #expect(text.contains("public static let version = Annals.SchemaVersion(1, 0, 0)"))
    #expect(
      text.contains("public static var stability: Annals.SchemaStability {\n    .\(name)\n  }"), "\(text)")
  }

  @Test(arguments: [
    ("Placed", "placed"), ("URLSet", "urlSet"), ("ID", "id"), ("OrderID", "orderID"), ("A", "a"),
    ("X2Y", "x2Y"), ("AB2", "ab2"), ("_Placed", "_Placed"), ("placed", "placed"),
  ])
  func `a case is named as its record, with a small beginning`(type: String, name: String) {
    let expansion = Expansion(of: "@Schema(1, 0, 0) enum V1 { struct \(type): Record { var total: Int } }")
    #expect(expansion.text.contains("case \(name)(V1.\(type))"))
  }

  @Test(arguments: [
    ("Init", "`init`", "Init"), ("Switch", "`switch`", "Switch"), ("`Default`", "`default`", "`Default`"),
    ("`Order placed`", "`order placed`", "`Order placed`"),
  ])
  func `a case whose name Swift reserves is in backticks`(type: String, name: String, written: String) {
    let expansion = Expansion(of: "@Schema(1, 0, 0) enum V1 { struct \(type): Record { var total: Int } }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("case \(name)(V1.\(written))"))
    #expect(expansion.text.contains("self.\(name) = try cases.\(name).step(from: &source)"))
  }
}
