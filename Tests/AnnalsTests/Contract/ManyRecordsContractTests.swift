import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// Three hundred record types in one schema, made without macros.
@Suite struct ManyRecordsContractTests {
  private enum TwoVersions: SchemaMigrationPlan {
    static var stages: MigrationChain<Many1, Many2> {
      MigrationStage.lightweight(fromVersion: Many1.self, toVersion: Many2.self)
    }
  }

  @Test func `a schema may have three hundred record types, each unchanged in the next version`() async throws
  {
    let place = try TemporaryStore()
    let events = ManyEvent.numerals.indices.map { ManyEvent(number: $0) }
    try await place.write(events, as: Many1.self)
    #expect(try place.read(TwoVersions.self).map(\.caseIndex) == Array(0..<300))
    try await EventStore(at: place.url, plan: TwoVersions.self).append(events, to: "all")
    let census = try place.open().read { (snapshot) throws(AnnalsError) in try snapshot.census() }
    #expect(census.count == 600)
    #expect(census.map(\.type).contains("Record299"))
    #expect(try EventLog.verify(place.url).isClean)
  }
}

/// A number as a type, so that a record type can be made for each.
private protocol Numeral: Sendable {
  static var number: Int { get }
}
private enum Zero: Numeral {
  static var number: Int { 0 }
}
private enum Twice<Half: Numeral>: Numeral {
  static var number: Int { 2 * Half.number }
}
private enum TwiceAndOne<Half: Numeral>: Numeral {
  static var number: Int { 2 * Half.number + 1 }
}

private struct Numbered<N: Numeral>: Record, Codable {
  static var recordName: String { "Record\(N.number)" }
  var place = N.number
}

private enum Many1: VersionedSchema {
  typealias Event = ManyEvent
  static let version = SchemaVersion(1, 0, 0)
}
private enum Many2: VersionedSchema {
  typealias Event = ManyEvent
  static let version = SchemaVersion(2, 0, 0)
}

/// An event of one of three hundred types.
private struct ManyEvent: SchemaEvent {
  struct Cases {}
  struct Steps: Sendable {
    var all: [any Sendable] = []
  }

  static let numerals: [any Numeral.Type] = {
    var all: [any Numeral.Type] = [Zero.self, TwiceAndOne<Zero>.self]
    func twice<N: Numeral>(_: N.Type) -> any Numeral.Type { Twice<N>.self }
    func twiceAndOne<N: Numeral>(_: N.Type) -> any Numeral.Type { TwiceAndOne<N>.self }
    while all.count < 300 {
      let half = all[all.count / 2]
      if all.count.isMultiple(of: 2) {
        all.append(twice(half))
      } else {
        all.append(twiceAndOne(half))
      }
    }
    return all
  }()

  static let cases = Cases()
  static let records: [SchemaRecord] = numerals.enumerated().map { number, numeral in
    func record<N: Numeral>(_: N.Type) -> SchemaRecord { SchemaRecord("record\(number)", Numbered<N>.self) }
    return record(numeral)
  }

  let caseIndex: Int
  let record: any Record

  init(number: Int) {
    func record<N: Numeral>(_: N.Type) -> any Record { Numbered<N>() }
    caseIndex = number
    self.record = record(Self.numerals[number])
  }

  private init(_ number: Int, _ record: some Record) {
    caseIndex = number
    self.record = record
  }

  static func steps(from source: inout some StepSource<ManyEvent>) throws(AnnalsError) -> Steps {
    var steps = Steps()
    for (number, numeral) in numerals.enumerated() {
      steps.all.append(try step(numeral, number, &source))
    }
    return steps
  }

  private static func step<N: Numeral, Source: StepSource<ManyEvent>>(
    _: N.Type, _ number: Int, _ source: inout Source
  ) throws(AnnalsError) -> any Sendable {
    try source.step(
      for: RecordCase<ManyEvent, Numbered<N>>(
        number, step: { $0.step(number) }, event: { ManyEvent(number, $0) }))
  }

  func encode(into payload: inout [UInt8]) throws(CodingFailure) {
    try record.encode(into: &payload)
  }

  consuming func send(through steps: Steps, _ origin: Origin, into buffer: EventBuffer) throws(StepFailure) {
    try Self.run(record, steps, caseIndex, origin, buffer)
  }

  private static func run<R: Record>(
    _ record: R, _ steps: Steps, _ number: Int, _ origin: Origin, _ buffer: EventBuffer
  ) throws(StepFailure) {
    try steps.step(number, of: R.self).run(record, origin, buffer)
  }
}

extension ManyEvent.Steps {
  fileprivate func step<R: Record>(_ number: Int, of type: R.Type = R.self) -> RecordStep<R> {
    guard let step = all[number] as? RecordStep<R> else {
      preconditionFailure("step \(number) is of another type")
    }
    return step
  }
}
