import Testing

/// A client's source with one mistake in it, and what the compiler must say.
struct Snippet: Sendable, CustomTestStringConvertible {
  /// The mistake.
  let mistake: String
  /// A part of the message that names it.
  let message: String
  /// The source that follows ``shop``.
  let source: String

  init(_ mistake: String, says message: String, _ source: String) {
    self.mistake = mistake
    self.message = message
    self.source = source
  }

  var testDescription: String { mistake }
}

extension Snippet {
  /// Three schemas of a shop and the two stages between them, in which nothing is wrong.
  static let shop = """
    import Annals
    @Schema(1, 0, 0) enum V1 {
      struct Placed: Record, Codable { var total: Int }
      struct Pinged: Record, Codable { var number: Int }
    }
    @Schema(2, 0, 0) enum V2 {
      typealias Pinged = V1.Pinged
      struct Placed: Record, Codable { var total: Int; var currency: String }
    }
    @Schema(3, 0, 0) enum V3 {
      typealias Placed = V2.Placed
      struct `Default`: Record, Codable { var number: Int }
      struct Init: Annals.Record, Codable { var number: Int }
      @Value struct Line { var text: String }
    }
    let first = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
      Upcast(\\.placed, to: \\.placed) { old, origin in .init(total: old.total, currency: origin.stream.text) }
    }
    let second = MigrationStage.custom(fromVersion: V2.self, toVersion: V3.self) {
      Split(\\.pinged, into: [\\.`default`, \\.`init`]) { old, origin in
        (0 ..< old.number).map { .default(.init(number: $0)) }
      }
    }
    typealias Placed = V3.Placed

    """

  /// What follows the shop in a program without a mistake.
  static let rest = """
    enum ShopPlan: SchemaMigrationPlan {
      static var stages: MigrationChain<V1, V3> {
        first
        second
      }
    }
    enum FirstPlan: SchemaMigrationPlan { static var stages: MigrationChain<V1, V1> {} }
    let others = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
      Split(\\.placed) { old, origin in
        let count = old.total
        return count < 0 ? [] : [.placed(.init(total: count, currency: "EUR")), .pinged(.init(number: old.total))]
      }
      Upcast(\\.placed) { old, origin in .placed(.init(total: old.total, currency: "\\(origin.derivedID("placed"))")) }
      Drop(\\.pinged, reason: "noise")
    }
    let kept = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
      Keep(\\.placed, to: \\.placed, changing: \\.currency) { old, _ in old.total > 0 ? "EUR" : "CHF" }
      Keep(\\.placed, to: \\.placed, changing: \\.currency, \\.total) { old, _ in (old.total > 0 ? "EUR" : "", 1) }
    }
    @Schema(4, 0, 0) enum Stated: VersionedSchema { typealias Placed = V3.Placed }
    struct Shop { @Schema(5, 0, 0) enum Nested { @Record struct `Order placed` { var total: Int } } }
    let carried = MigrationStage.custom(fromVersion: V1.self, toVersion: V1.self)
    func total(of event: V3.Event) -> Int {
      switch event {
      case .placed(let placed): placed.total
      case .default, .`init`: 0
      }
    }
    """

  /// Mistakes in a chain.
  static let chains = [
    Snippet(
      "stages in the wrong order",
      says:
        "cannot convert value of type 'MigrationStage<V1, V2>' to expected argument type 'MigrationStage<V3, V2>'",
      """
      enum ShopPlan: SchemaMigrationPlan {
        static var stages: MigrationChain<V1, V3> {
          second
          first
        }
      }
      """),
    Snippet(
      "a missing stage",
      says:
        "cannot convert result builder result type 'MigrationChain<V2, V3>' to return type 'MigrationChain<V1, V3>'",
      """
      enum ShopPlan: SchemaMigrationPlan {
        static var stages: MigrationChain<V1, V3> {
          second
        }
      }
      """),
    Snippet(
      "a gap between two stages",
      says:
        "cannot convert value of type 'MigrationStage<V3, V4>' to expected argument type 'MigrationStage<V2, V4>'",
      """
      @Schema(4, 0, 0) enum V4 { typealias Placed = V3.Placed }
      enum ShopPlan: SchemaMigrationPlan {
        static var stages: MigrationChain<V1, V4> {
          first
          MigrationStage.custom(fromVersion: V3.self, toVersion: V4.self)
        }
      }
      """),
    Snippet(
      "a stage that stands twice",
      says:
        "cannot convert value of type 'MigrationStage<V1, V2>' to expected argument type 'MigrationStage<V2, V2>'",
      """
      enum ShopPlan: SchemaMigrationPlan {
        static var stages: MigrationChain<V1, V3> {
          first
          first
          second
        }
      }
      """),
    Snippet(
      "a chain that ends early",
      says:
        "cannot convert result builder result type 'MigrationChain<V1, V2>' to return type 'MigrationChain<V1, V3>'",
      """
      enum ShopPlan: SchemaMigrationPlan {
        static var stages: MigrationChain<V1, V3> {
          first
        }
      }
      """),
    Snippet(
      "a choice among stages",
      says: "a chain is the same in every build and at every run: no 'if' among its stages",
      """
      enum ShopPlan: SchemaMigrationPlan {
        static var stages: MigrationChain<V1, V2> {
          if Bool.random() { first } else { first }
        }
      }
      """),
    Snippet(
      "a stage that may be absent",
      says: "a chain is the same in every build and at every run: no 'if' among its stages",
      """
      enum ShopPlan: SchemaMigrationPlan {
        static var stages: MigrationChain<V1, V2> {
          if Bool.random() { first }
        }
      }
      """),
  ]

  /// Mistakes in a stage from V1 to V2.
  static let rules = [
    Snippet(
      "a rule that keeps fields and computes one that does not exist",
      says: "value of type 'V2.Placed' has no member 'curency'",
      """
      let stage = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Keep(\\.placed, to: \\.placed, changing: \\.curency) { old, origin in "EUR" }
      }
      """),
    Snippet(
      "a rule that keeps fields and computes a value of another type",
      says: "cannot convert value of type 'Int' to closure result type 'String'",
      """
      let stage = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Keep(\\.placed, to: \\.placed, changing: \\.currency) { old, origin in old.total }
      }
      """),
    Snippet(
      "a rule for a record of another version",
      says: "value of type 'V1.Event.Cases' has no member 'default'",
      "Upcast(\\.default) { old, origin in .pinged(.init(number: old.number)) }"),
    Snippet(
      "a rule for a record that no version has",
      says: "value of type 'V1.Event.Cases' has no member 'refunded'",
      "Drop(\\.refunded, reason: \"noise\")"),
    Snippet(
      "a rule that leads to a record of another version",
      says: "value of type 'V2.Event.Cases' has no member 'default'",
      "Upcast(\\.pinged, to: \\.default) { old, origin in .init(number: old.number) }"),
    Snippet(
      "a record of the older version as the result",
      says: "cannot convert value of type 'V1.Placed' to expected argument type 'V2.Placed'",
      "Upcast(\\.placed) { old, origin in .placed(V1.Placed(total: old.total)) }"),
    Snippet(
      "an event of another version as the result",
      says: "cannot convert value of type 'V3.Event' to closure result type 'V2.Event'",
      "Upcast(\\.placed) { old, origin in V3.Event.placed(.init(total: old.total, currency: \"EUR\")) }"),
    Snippet(
      "a misspelled field of the old record", says: "value of type 'V1.Placed' has no member 'totals'",
      "Upcast(\\.placed, to: \\.placed) { old, origin in .init(total: old.totals, currency: \"EUR\") }"),
    Snippet(
      "a choice among rules",
      says: "a stage is the same in every build and at every run: no 'if' among its rules",
      "if Bool.random() { Drop(\\.pinged, reason: \"noise\") }"),
  ].map { rule in
    Snippet(
      rule.mistake, says: rule.message,
      "let stage = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {\n  \(rule.source)\n}")
  }

  /// Mistakes in a schema.
  static let schemas = [
    Snippet(
      "a carried typealias to what is no record",
      says: "type 'V4.Line' (aka 'V3.Line') does not conform to protocol 'Record'",
      "@Schema(4, 0, 0) enum V4 { typealias Line = V3.Line }"),
    Snippet(
      "a carried typealias to what does not exist", says: "'Refunded' is not a member type of enum",
      "@Schema(4, 0, 0) enum V4 { typealias Refunded = V3.Refunded }"),
    Snippet(
      "a typealias that carries nothing", says: "a typealias in a schema carries a record of an earlier one",
      "@Schema(4, 0, 0) enum V4 { typealias Text = String }"),
    Snippet(
      "another protocol of the name Record", says: "type 'V4.Noted' does not conform to protocol",
      "protocol Record {}\n@Schema(4, 0, 0) enum V4 { struct Noted: Record, Codable { var text: String } }"),
    Snippet(
      "a switch that forgets a record", says: "switch must be exhaustive",
      "func total(of event: V3.Event) -> Int { switch event { case .placed(let placed): placed.total } }"),
  ]
}
