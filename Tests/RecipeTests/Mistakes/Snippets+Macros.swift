extension Snippet {
  /// Mistakes that the macros find themselves.
  ///
  /// Each gets one message, at its place, and causes no other error.
  static let marks = [
    Snippet(
      "an enum as a record", says: "an event is a struct; an enum inside one is a @Value",
      "@Schema(1, 0, 0) enum M1 { typealias Placed = V1.Placed; @Record enum A { case one } }"),
    Snippet(
      "a class as a record", says: "an event is a struct: write @Record struct A2 { … }",
      "@Record final class A2 {}"),
    Snippet(
      "a record below the schema", says: "move 'A' out of 'Inner', or make it a @Value",
      "@Schema(1, 0, 0) enum M3 { typealias Placed = V1.Placed; @Value struct Inner { @Record struct A { var n: Int } } }"
    ),
    Snippet(
      "a record in an extension of the schema",
      says: "@Schema cannot see a record in an extension: move 'A4'",
      "extension V1 { @Record struct A4 { var n: Int } }"),
    Snippet(
      "a record in a function", says: "local type cannot have attached extension macro",
      "func make() { @Record struct A5 { var n: Int } }"),
    Snippet(
      "a generic record", says: "a record has one shape and cannot be generic",
      "@Record struct A6<T> { var n: Int }"),
    Snippet(
      "a private record",
      says: "a private record cannot be seen by the code of its schema: write 'fileprivate'",
      "enum M7 { @Record private struct A { var n: Int } }"),
    Snippet(
      "a record called as the code of the schema", says: "a record cannot be called 'Event'",
      "@Schema(1, 0, 0) enum M8 { @Record struct Event { var n: Int }; @Record struct A { var n: Int } }"),
    Snippet(
      "two records that would be one case",
      says: "records 'URLSet' and 'UrlSet' would both be the case 'urlSet'",
      "@Schema(1, 0, 0) enum M9 { @Record struct URLSet { var n: Int }; @Record struct UrlSet { var n: Int } }"
    ),
    Snippet(
      "a record in #if", says: "a schema is the same in every build: nothing inside it may be in #if",
      """
      @Schema(1, 0, 0) enum M10 {
        typealias Placed = V1.Placed
        #if DEBUG
        @Record struct A { var n: Int }
        #endif
      }
      enum M10Plan: SchemaMigrationPlan { static var stages: MigrationChain<M10, M10> {} }
      func placed(_ placed: M10.Placed) -> M10.Event { .placed(placed) }
      """),
    Snippet(
      "a field in #if", says: "a record has the same fields in every build: no #if around them",
      """
      @Record struct A11 {
        #if DEBUG
        var n: Int
        #endif
      }
      """),
    Snippet(
      "a lazy field", says: "a stored field is not lazy", "@Record struct A12 { lazy var n: Int = 1 }"),
    Snippet(
      "a wrapped field", says: "a stored field has no property wrapper",
      "@propertyWrapper struct Kept { var wrappedValue: Int }\n@Record struct A13 { @Kept var n: Int }"),
    Snippet(
      "a field without a type", says: "write the type of 'n': var n: Int; what is stored must not depend on",
      "@Record struct A14 { var n = 1 }"),
    Snippet(
      "a constant field with a value", says: "'let m' has one value for ever and cannot be read back",
      "@Record struct A15 { let m: Int = 1 }"),
    Snippet(
      "a tuple as a field", says: "field 'pair' cannot be a tuple",
      "@Record struct A16 { var pair: (Int, Int) }"),
    Snippet(
      "a function as a field", says: "field 'make' cannot be a function",
      "@Record struct A17 { var make: @Sendable () -> Int }"),
    Snippet(
      "two fields of one name", says: "fields 'a' and 'b' would both be 'b' on disk",
      "@Record struct A18 { @Field(\"b\") var a: Int; var b: Int }"),
    Snippet(
      "a field that is not stored", says: "a computed property is not stored: remove @Field",
      "@Record struct A19: Record { @Field(\"b\") var a: Int { 1 } }"),
    Snippet(
      "a field of nothing", says: "@Field names a field of a @Record or @Value: mark the struct around it",
      "struct A20 { @Field(\"b\") var a: Int }"),
    Snippet(
      "two cases of one name", says: "two cases are called 'a', which Swift cannot tell apart in a switch",
      "@Value enum A21 { case a(x: Int); case a(y: Int) }"),
    Snippet(
      "an unknown case that holds something", says: "a case that stands for unknown ones holds nothing",
      "@Value enum A22 { case a; @UnknownCase case other(Int) }"),
    Snippet(
      "a struct that is neither an event nor part of one",
      says: "struct 'Line' is no event of this schema: mark it @Record to store it as an event",
      "@Schema(1, 0, 0) enum M23 { typealias Placed = V1.Placed; struct Line { var n: Int } }"),
    Snippet(
      "a draft that is not written out", says: "whether a schema may still change is written out",
      "let draft = SchemaStability.draft\n@Schema(1, 0, 0, draft) enum M24 { typealias Placed = V1.Placed }"),
    Snippet(
      "a private member of a public schema",
      says: "record 'A' must be as visible as its schema: write 'public'",
      """
      @Schema(1, 0, 0) public enum M25 { @Record struct A { var n: Int } }
      public enum M25Plan: SchemaMigrationPlan { public static var stages: MigrationChain<M25, M25> {} }
      """),
    Snippet(
      "a case of a schema", says: "a schema has no cases of its own: declare each event as @Record struct",
      """
      @Schema(1, 0, 0) enum M28 { @Record struct A { var n: Int }; case other }
      enum M28Plan: SchemaMigrationPlan { static var stages: MigrationChain<M28, M28> {} }
      func number(_ event: M28.Event) -> Int { switch event { case .a(let a): a.n } }
      """),
    Snippet(
      "a schema without a record", says: "a schema needs at least one record",
      """
      @Schema(1, 0, 0) enum M29 { @Value struct A { var n: Int } }
      enum M29Plan: SchemaMigrationPlan { static var stages: MigrationChain<M29, M29> {} }
      """),
    Snippet(
      "a schema that is a struct", says: "@Schema belongs on an enum without cases",
      """
      @Schema(1, 0, 0) struct M30 { @Record struct A { var n: Int } }
      enum M30Plan: SchemaMigrationPlan { static var stages: MigrationChain<M30, M30> {} }
      """),
    Snippet(
      "a field with two marks", says: "only the first @Field would be read: write one @Field with all",
      "@Record struct A26 { @Field(\"b\") @Field(originalName: \"c\") var a: Int }"),
    Snippet(
      "a mark of a field in #if", says: "a record is the same in every build: no #if around @Field",
      """
      @Record struct A27 {
        #if DEBUG
        @Field("b")
        #else
        @Field("c")
        #endif
        var a: Int
      }
      """),
  ]

  /// Mistakes that the compiler finds in what the macros write: each gets one message, on its own line.
  static let fields = [
    Snippet(
      "a field of a type that is not stored",
      says: "this field's type has no stored form: mark it @Value, or make it Codable and Sendable",
      "@Schema(1, 0, 0) enum B1 { @Record struct A { var plain: Plain } }"),
    Snippet(
      "fields of types that hold one that is not stored", says: "this field's type has no stored form",
      "@Schema(1, 0, 0) enum B2 { @Record struct A { var plain: [String: Plain?] } }"),
    Snippet(
      "a tuple under another name", says: "for a tuple declare a @Value struct",
      "@Schema(1, 0, 0) enum B3 { @Record struct A { var pair: Pair } }"),
    Snippet(
      "an inline array under another name", says: "for an InlineArray write an array",
      "@Schema(1, 0, 0) enum B4 { @Record struct A { var row: Row } }"),
    Snippet(
      "an inline array", says: "field 'row' cannot be an InlineArray, which has no stored form: write [Int]",
      "@Schema(1, 0, 0) enum B5 { @Record struct A { var row: InlineArray<3, Int> } }"),
    Snippet(
      "a value of a type that is not stored", says: "this field's type has no stored form",
      "@Value struct B6 { var plain: Plain }"),
    Snippet(
      "a case that holds a type that is not stored",
      says: "a type of this case's values has no stored form: mark it @Value",
      "@Value enum B7 { case named(Named) }"),
    Snippet(
      "a typealias to a value",
      says: "type 'B8.Money' (aka 'V0.Money') does not conform to protocol 'Record'",
      "@Schema(1, 0, 0) enum B8 { @Record struct A { var money: Money }; typealias Money = V0.Money }"),
    Snippet(
      "a record with a mistake", says: "write the type of 'n': var n: Int",
      "@Schema(1, 0, 0) enum B9 { @Record struct A { var n = 1; var part: Part }; @Value struct Part { var m: Int } }"
    ),
    Snippet(
      "a value with a mistake", says: "write the type of 'm': var m: Int",
      "@Schema(1, 0, 0) enum B10 { @Record struct A { var part: Part }; @Value struct Part { var m = 1 } }"),
    Snippet(
      "a record in no schema", says: "'B11' is in no schema and would never be an event",
      "@Record struct B11 { var n: Int }"),
  ]

  /// The rest of the source after ``fields``: the types that they name, and uses of the schemas.
  static let fieldTypes = """
    struct Plain {}
    struct Named: Codable { var n: Int }
    typealias Pair = (Int, Int)
    typealias Row = InlineArray<3, Int>
    enum V0 { @Value struct Money { var n: Int } }
    enum B1Plan: SchemaMigrationPlan { static var stages: MigrationChain<B1, B1> {} }
    enum B8Plan: SchemaMigrationPlan { static var stages: MigrationChain<B8, B8> {} }
    func selected() -> (EventQuery<B1.Event>, EventQuery<B8.Event>) { ([\\.a], [\\.a, \\.money]) }
    func taken(_ event: B8.Event) {
      switch event {
      case .a(let a): print(a.money.n)
      case .money(let money): print(money.n)
      }
    }
    """

  /// Mistakes in what a rule does.
  static let impurities = [
    Snippet(
      "a global variable in a rule",
      says: "var 'seen' is not concurrency-safe because it is nonisolated global",
      """
      var seen = 0
      let counting = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Upcast(\\.placed, to: \\.placed) { old, origin in .init(total: old.total + seen, currency: "EUR") }
      }
      """),
    Snippet(
      "a captured variable in a rule",
      says: "reference to captured var 'count' in concurrently-executing code",
      """
      func counted() -> MigrationStage<V1, V2> {
        var count = 0
        count += 1
        return MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
          Upcast(\\.placed, to: \\.placed) { old, origin in .init(total: old.total + count, currency: "EUR") }
        }
      }
      """),
    Snippet(
      "a rule that waits", says: "cannot pass function of type",
      """
      func currency() async -> String { "EUR" }
      let waiting = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Upcast(\\.placed, to: \\.placed) { old, origin in .init(total: old.total, currency: await currency()) }
      }
      """),
  ]

  /// A public schema with nothing wrong in it, as a library has it.
  static let library = """
    public import Annals
    import Foundation
    @Schema(1, 0, 0, .released) public enum Films {
      @Record("film", formerly: ["Movie"], reserved: ["studio"]) public struct Film: Codable, Equatable {
        public var title: String = "untitled"
        @Field("min", originalName: "length") public var minutes: Int
        public let rating: Double?
        public var kind: Kind?
        private var notes: [String]
      }
      @Value public enum Kind: String, Codable { case short, long }
      @Value public struct Size: Equatable { public var width: Int; public var height: Int? }
      @Value public indirect enum Scene { case empty; case cut(Scene, to: Scene?); @UnknownCase case other }
      @Record public struct Edited { public var film: Film; public var size: Size; public var scene: Scene }
      @Record public struct Closed { public init() {} }
    }
    @Schema(1, 0, 0) private enum Inside { @Record struct A { private(set) var n: Int }; @Value struct B { var n: Int } }
    public func film() -> Films.Film { Films.Film(minutes: 1, rating: nil, notes: []) }
    public func size() -> Films.Size { Films.Size(width: 1) }
    """

  /// One kind of mistakes as one source, since the compiler takes longer to start than to find them.
  static let files = [impurities]
}
