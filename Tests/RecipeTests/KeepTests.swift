import Annals
import AnnalsTestSupport
import AnnalsTesting
import Foundation
import Testing

@Schema(1, 0, 0) enum InvoicesV1 {
  @Record struct InvoiceSent: Equatable {
    var number: Int32
    var customer: String
    var country: String?
    var total: Int
    var lines: [String]
    var paid: Bool
  }
}

@Schema(2, 0, 0) enum InvoicesV2 {
  @Record struct InvoiceSent: Equatable {
    var currency: String
    var number: Int
    @Field(originalName: "customer") var buyer: String
    var cents: Int
    var country: String?
    var channel: String
    var lines: [String]
    var note: String?
    var paid: Bool
  }
}

enum InvoicePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InvoicesV1, InvoicesV2> {
    MigrationStage.custom(fromVersion: InvoicesV1.self, toVersion: InvoicesV2.self) {
      Keep(\.invoiceSent, to: \.invoiceSent, changing: \.currency, \.cents) { old, origin in
        (old.country == "CH" ? "CHF" : "EUR", old.total * 100)
      }
      Default(\.invoiceSent, \.channel, "shop")
    }
  }
}

extension InvoicesV2.Event: Equatable {}

extension InvoicesV1.InvoiceSent {
  static var samples: [Self] {
    [
      .init(number: 1, customer: "Ada", country: "CH", total: 5, lines: ["tea", ""], paid: true),
      .init(number: .min, customer: "", country: nil, total: -1, lines: [], paid: false),
    ]
  }
}

/// The same rule, written out.
private enum WrittenOutPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InvoicesV1, InvoicesV2> {
    MigrationStage.custom(fromVersion: InvoicesV1.self, toVersion: InvoicesV2.self) {
      Upcast(\.invoiceSent, to: \.invoiceSent) { old, origin in
        .init(
          currency: old.country == "CH" ? "CHF" : "EUR", number: Int(old.number), buyer: old.customer,
          cents: old.total * 100, country: old.country, channel: "shop", lines: old.lines, note: nil,
          paid: old.paid)
      }
    }
  }
}

/// One more stage, with a context.
@Schema(3, 0, 0) private enum InvoicesV3 {
  @Record fileprivate struct InvoiceSent: Equatable {
    var currency: String
    var number: Int
    var buyer: String
    var cents: Int
    var place: Int
    var country: String?
    var channel: String
    var lines: [String]
    var note: String?
    var paid: Bool
  }
}

private enum NumberedInvoicePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InvoicesV1, InvoicesV3> {
    MigrationStage.custom(fromVersion: InvoicesV1.self, toVersion: InvoicesV2.self) {
      Keep(\.invoiceSent, to: \.invoiceSent, changing: \.currency, \.cents, \.channel) { old, origin in
        guard old.total >= 0 else { throw NegativeTotal() }
        return ("EUR", old.total, "shop")
      }
    }
    MigrationStage.custom(
      fromVersion: InvoicesV2.self, toVersion: InvoicesV3.self,
      prepare: { history in try history.reduce(into: 0) { count, _ in count += 1 } },
      rules: {
        Keep(\.invoiceSent, to: \.invoiceSent, changing: \.place) { old, origin, count in
          count > Int(origin.position.rawValue) ? count - Int(origin.position.rawValue) : 0
        }
      })
  }
}

private struct NegativeTotal: Error {}

/// It forgets a field.
private enum ForgetfulInvoicePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InvoicesV1, InvoicesV2> {
    MigrationStage.custom(fromVersion: InvoicesV1.self, toVersion: InvoicesV2.self) {
      Keep(\.invoiceSent, to: \.invoiceSent, changing: \.currency) { old, origin in "EUR" }
    }
  }
}
private enum RepeatingInvoicePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InvoicesV1, InvoicesV2> {
    MigrationStage.custom(fromVersion: InvoicesV1.self, toVersion: InvoicesV2.self) {
      Keep(\.invoiceSent, to: \.invoiceSent, changing: \.cents, \.channel, \.cents, \.currency) { _, _ in
        (1, "shop", 2, "EUR")
      }
    }
  }
}

/// One field, whose value the compiler infers from the field's type.
@Schema(1, 0, 0) private enum PackedV1 {
  @Record fileprivate struct ParcelSent { var grams: Int; var receiver: String }
}
@Schema(2, 0, 0) private enum PackedV2 {
  @Record fileprivate struct ParcelSent: Equatable { var receiver: String; var size: String? }
}
extension PackedV2.Event: Equatable {}
private enum PackedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<PackedV1, PackedV2> {
    MigrationStage.custom(fromVersion: PackedV1.self, toVersion: PackedV2.self) {
      Keep(\.parcelSent, to: \.parcelSent, changing: \.size) { old, _ in old.grams > 0 ? "small" : nil }
    }
  }
}

/// Records that contain others of their own type.
@Schema(1, 0, 0) private enum ThreadsV1 {
  @Record fileprivate struct Posted { var text: String; var replies: [Posted] }
}
@Schema(2, 0, 0) private enum ThreadsV2 {
  @Record fileprivate struct Posted { var text: String; var likes: Int; var replies: [Posted] }
}
private enum ThreadPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ThreadsV1, ThreadsV2> {
    MigrationStage.custom(fromVersion: ThreadsV1.self, toVersion: ThreadsV2.self) {
      Keep(\.posted, to: \.posted, changing: \.likes) { _, _ in 0 }
    }
  }
}

@Suite struct KeepTests {
  private static func invoices(_ seed: UInt64, count: Int = 100) -> [InvoicesV1.Event] {
    var generator = SeededGenerator(seed: seed)
    func text() -> String {
      ["", "tea", "é", "e\u{301}", "\u{1F44D}", String(repeating: "x", count: 300)]
        .randomElement(using: &generator) ?? ""
    }
    return (0..<count).map { _ in
      .invoiceSent(
        .init(
          number: .random(in: .min ... .max, using: &generator), customer: text(),
          country: [nil, "CH", "DE"].randomElement(using: &generator) ?? nil,
          total: .random(in: -1_000_000...1_000_000, using: &generator),
          lines: (0..<Int.random(in: 0...30, using: &generator)).map { _ in text() },
          paid: .random(using: &generator)))
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a rule that keeps fields reads as the rule that writes each of them out, also after a pass`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    try await place.write(Self.invoices(seed), as: InvoicesV1.self)
    let read = try place.read(InvoicePlan.self)
    #expect(read == (try place.read(WrittenOutPlan.self)), "seed \(seed)")
    #expect(read.count == 100)
    do {
      let store = try EventStore(at: place.url, plan: InvoicePlan.self)
      _ = try await store.migrate().report()
    }
    #expect(try place.read(OneSchema<InvoicesV2>.self) == read, "seed \(seed)")
  }

  @Test func `all ways to read a sample agree`() async throws {
    try await MigrationHarness(InvoicePlan.self).check()
  }

  @Test func `a rule that keeps fields may use the stage's context, after another such rule`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      (0..<3).map {
        .invoiceSent(.init(number: 7, customer: "Bo", country: nil, total: $0, lines: [], paid: true))
      }, as: InvoicesV1.self)
    let read = try place.read(NumberedInvoicePlan.self, activating: true)
    let values = read.map { event in
      switch event {
      case .invoiceSent(let invoice): [invoice.place, invoice.cents, invoice.number]
      }
    }
    #expect(values == [[2, 0, 7], [1, 1, 7], [0, 2, 7]])
  }

  @Test func `a rule that computes one field gives its value, which may be nil`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      [.parcelSent(.init(grams: 5, receiver: "Bo")), .parcelSent(.init(grams: 0, receiver: ""))],
      as: PackedV1.self)
    let expected: [PackedV2.Event] = [
      .parcelSent(.init(receiver: "Bo", size: "small")), .parcelSent(.init(receiver: "", size: nil)),
    ]
    #expect(try place.read(PackedPlan.self) == expected)
  }

  @Test func `an error of the rule names the entry and the stage`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      [.invoiceSent(.init(number: 7, customer: "Bo", country: nil, total: -1, lines: [], paid: true))],
      as: InvoicesV1.self)
    let error = #expect(throws: AnnalsError.self) { try place.read(ThrowingInvoicePlan.self) }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 1)
    #expect(error?.message.contains("the rule for 'InvoiceSent' in stage 1.0.0 to 2.0.0 threw") == true)
  }

  @Test func `the check tells the computed fields from the kept ones`() throws {
    let report = try InvoicePlan.check().description
    #expect(report.contains("~ InvoiceSent  Keep as InvoiceSent, changing currency, cents"), "\(report)")
    #expect(report.contains("+ currency: text  (custom; new reads old: the rule"), "\(report)")
    #expect(report.contains("+ channel: text = \"shop\"  (lightweight"), "\(report)")
    #expect(report.contains("~ customer -> buyer: text  (lightweight"), "\(report)")
  }

  @Test func `the lock records the constants of kept fields`() throws {
    let folder = try TemporaryDirectory()
    let lock = folder.url.appending(path: "InvoicePlan.lock")
    try InvoicePlan.check(lock: lock, recording: true)
    #expect(try String(contentsOf: lock, encoding: .utf8).contains("constant channel = \"shop\""))
  }

  @Test func `a field that is neither computed nor kept makes the plan invalid, with its name`() throws {
    let message = try Self.refusal(ForgetfulInvoicePlan.self)
    #expect(message.contains("has a Keep for 'InvoiceSent'"), "\(message)")
    #expect(message.contains("`cents` is new") && message.contains("`channel` is new"), "\(message)")
    #expect(!message.contains("`currency`"), "\(message)")
  }

  @Test func `a field named twice, and a record inside itself, make the plan invalid`() throws {
    #expect(try Self.refusal(RepeatingInvoicePlan.self).contains("named twice after 'changing:'"))
    #expect(try Self.refusal(ThreadPlan.self).contains("'Posted' contains itself"))
  }

  private static func refusal(_ plan: (some SchemaMigrationPlan).Type) throws -> String {
    let place = try TemporaryStore()
    let error = #expect(throws: AnnalsError.self) { _ = try EventStore(at: place.url, plan: plan) }
    #expect(error?.code == .invalidPlan)
    return try #require(error?.message)
  }
}

private enum ThrowingInvoicePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InvoicesV1, InvoicesV2> {
    MigrationStage.custom(fromVersion: InvoicesV1.self, toVersion: InvoicesV2.self) {
      Keep(\.invoiceSent, to: \.invoiceSent, changing: \.currency, \.cents, \.channel) { old, origin in
        guard old.total >= 0 else { throw NegativeTotal() }
        return ("EUR", old.total, "shop")
      }
    }
  }
}
