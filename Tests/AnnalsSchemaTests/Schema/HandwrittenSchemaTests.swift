import Testing

@Suite struct HandwrittenSchemaTests {
  @Test func `a schema written by hand takes its place in a chain`() throws {
    let plan = try CompiledPlan(HandwrittenPlan.self)
    let lifted = try plan.upcast(Handwritten.Noted(text: "a b"), .init(1, 0, 0), as: HandwrittenPlan.self)
    #expect(lifted == [Lifted(.word(.init(text: "a")), [0]), Lifted(.word(.init(text: "b")), [1])])
  }

  @Test func `a schema written by hand whose parts disagree is refused`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(DisorderedPlan.self) }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("do not name the same records in the same order") == true)
  }
}

/// What `@Schema` writes, by hand, with a name on disk of its own.
private enum Handwritten: VersionedSchema {
  fileprivate struct Noted: Record, Codable {
    static var recordName: String { "note" }
    var text: String
  }
  static let version = SchemaVersion(1, 0, 0)

  fileprivate enum Event: SchemaEvent {
    case noted(Noted)

    struct Cases {
      var noted: RecordCase<Event, Noted> { RecordCase(0, step: { $0.noted }, event: { .noted($0) }) }
    }
    struct Steps { let noted: RecordStep<Noted> }

    static var cases: Cases { Cases() }
    static var records: [SchemaRecord] { [SchemaRecord("noted", Noted.self)] }
    static func steps(from source: inout some StepSource<Event>) throws(AnnalsError) -> Steps {
      Steps(noted: try source.step(for: cases.noted))
    }
    var caseIndex: Int {
      switch self {
      case .noted: 0
      }
    }
    func encode(into payload: inout [UInt8]) throws(CodingFailure) {
      switch self {
      case .noted(let record): try record.encode(into: &payload)
      }
    }
    consuming func send(through steps: Steps, _ origin: Origin, into buffer: EventBuffer) throws(StepFailure)
    {
      switch consume self {
      case .noted(let record): try steps.noted.run(record, origin, buffer)
      }
    }
  }
}

@Schema(2, 0, 0) private enum Words {
  fileprivate struct Word: Record, Codable, Equatable { var text: String }
}
extension Words.Event: Equatable {}

private enum HandwrittenPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Handwritten, Words> {
    MigrationStage.custom(fromVersion: Handwritten.self, toVersion: Words.self) {
      Split(\.noted, into: [\.word]) { old, origin in
        old.text.split(separator: " ").map { .word(.init(text: String($0))) }
      }
    }
  }
}

/// Written by hand, with one record fewer in its list than it has cases.
private enum Disordered: VersionedSchema {
  static let version = SchemaVersion(1, 0, 0)

  fileprivate enum Event: SchemaEvent {
    case word(Words.Word)

    struct Cases {
      var word: RecordCase<Event, Words.Word> { RecordCase(0, step: { $0.word }, event: { .word($0) }) }
    }
    struct Steps { let word: RecordStep<Words.Word> }

    static var cases: Cases { Cases() }
    static var records: [SchemaRecord] { [] }
    static func steps(from source: inout some StepSource<Event>) throws(AnnalsError) -> Steps {
      Steps(word: try source.step(for: cases.word))
    }
    var caseIndex: Int { 0 }
    func encode(into payload: inout [UInt8]) throws(CodingFailure) {}
    consuming func send(through steps: Steps, _ origin: Origin, into buffer: EventBuffer) throws(StepFailure)
    {}
  }
}
private enum DisorderedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Disordered, Disordered> {}
}
