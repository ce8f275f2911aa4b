import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// A store with a random log of the race, and the same log as a model.
struct LapLog {
  let place: TemporaryStore
  private(set) var model = LapModel()
  private var generator: SeededGenerator

  /// A log that programs up to a version have written, of some 60 entries in a few streams.
  init(seed: UInt64, versions: Int, entries: Int = 60) async throws {
    place = try TemporaryStore()
    generator = SeededGenerator(seed: seed)
    let streams = (1...number(1...4)).map { "race-\($0)" }
    var laps: [String: Int] = [:]
    while model.log.count < entries {
      let stream = streams.randomElement(using: &generator) ?? ""
      // Mostly the oldest version, and long runs of one lap now and then.
      let version = number(0...3) > 0 ? 1 : number(1...versions)
      let count = number(0...9) == 0 ? number(9...20) : number(1...8)
      laps[stream] = number(0...3) == 0 ? number(0...3) : (laps[stream] ?? 0) + 1
      for _ in 0..<count {
        model.append(fact(version, lap: laps[stream] ?? 0), to: stream, version: version)
        if number(0...4) == 0, let other = streams.randomElement(using: &generator) {
          model.append(fact(1, lap: laps[other] ?? 0), to: other, version: 1)
        }
      }
    }
    try await store(model.log[...])
  }

  /// Appends some events of a version.
  mutating func append(version: Int, count: Int) async throws {
    let start = model.log.count
    for _ in 0..<count { model.append(fact(version, lap: number(0...3)), to: "race-1", version: version) }
    try await store(model.log[start...])
  }

  private func store(_ items: ArraySlice<LapModel.Item>) async throws {
    let log = try EventLog(at: place.url)
    let entries = try items.map { item in
      (
        form: try item.form,
        origin: Origin(
          position: Position(item.position), stream: StreamName(item.stream),
          revision: Revision(item.revision),
          timestamp: Timestamp(microseconds: Int64(item.position)), id: nil, metadata: [:], log: log.id)
      )
    }
    try await log.append(entries)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  private mutating func fact(_ version: Int, lap: Int) -> LapFact {
    let ns = (0..<number(0...3)).map { _ in number(0...9) }
    let choice = number(0...9)
    if choice == 0 { return .beat(number(0...99)) }
    switch version {
    case 1 where choice < 3: return .bundle(lap: lap, ns)
    case 1...2: return choice < 5 ? .note(["", "a", "bb"][number(0...2)]) : .tick(lap: lap, n: number(0...9))
    case 3: return choice < 5 ? .remark("a", times: number(1...3)) : .lap(lap, ns)
    case 4: return choice < 5 ? .remark("bb", times: number(1...3)) : .longLap(lap, ns, longest: 5)
    case 5: return choice < 5 ? .summary(number(1...3)) : .session(ns)
    case 6: return choice < 5 ? .summary(number(1...3)) : .item(number(-3...9))
    default: return choice < 5 ? .summary(number(1...3)) : .total(ns)
    }
  }
}

extension LapModel.Item {
  /// The event as a program of its version stores it.
  fileprivate var form: StoredForm {
    get throws {
      switch version {
      case 1: try Self.form(Laps1.self, fact.first)
      case 2: try Self.form(Laps2.self, fact.second)
      case 3: try Self.form(Laps3.self, fact.third)
      case 4: try Self.form(Laps4.self, fact.fourth)
      case 5: try Self.form(Laps5.self, fact.fifth)
      case 6: try Self.form(Laps6.self, fact.sixth)
      default: try Self.form(Laps7.self, fact.seventh)
      }
    }
  }

  private struct WrongVersion: Error {}

  private static func form<Schema: VersionedSchema>(
    _ schema: Schema.Type, _ event: Schema.Event?
  ) throws -> StoredForm {
    guard let event else { throw WrongVersion() }
    return try MigrationChain<Schema, Schema>().pipeline(FrozenContexts()).form(of: event)
  }
}

extension LapFact {
  fileprivate var first: Laps1.Event? {
    switch self {
    case .tick(let lap, let n): .ticked(.init(lap: lap, n: n))
    case .note(let text): .noted(.init(text: text))
    case .bundle(let lap, let ns): .bundled(.init(lap: lap, ns: ns))
    case .beat(let n): .beat(.init(n: n))
    default: nil
    }
  }

  fileprivate var second: Laps2.Event? {
    switch self {
    case .tick(let lap, let n): .ticked(.init(lap: lap, n: n))
    case .note(let text): .noted(.init(text: text))
    case .beat(let n): .beat(.init(n: n))
    default: nil
    }
  }

  fileprivate var third: Laps3.Event? {
    switch self {
    case .lap(let lap, let ns): .lapped(.init(lap: lap, ns: ns))
    case .remark(let text, let times): .remarked(.init(text: text, times: times))
    case .beat(let n): .beat(.init(n: n))
    default: nil
    }
  }

  fileprivate var fourth: Laps4.Event? {
    switch self {
    case .longLap(let lap, let ns, let longest): .lapped(.init(lap: lap, ns: ns, longest: longest))
    case .remark(let text, let times): .remarked(.init(text: text, times: times))
    case .beat(let n): .beat(.init(n: n))
    default: nil
    }
  }

  fileprivate var fifth: Laps5.Event? {
    switch self {
    case .session(let values): .session(.init(values: values))
    case .summary(let count): .summary(.init(count: count))
    case .beat(let n): .beat(.init(n: n))
    default: nil
    }
  }

  fileprivate var sixth: Laps6.Event? {
    switch self {
    case .item(let value): .item(.init(value: value))
    case .summary(let count): .summary(.init(count: count))
    case .beat(let n): .beat(.init(n: n))
    default: nil
    }
  }

  fileprivate var seventh: Laps7.Event? {
    switch self {
    case .total(let values): .total(.init(values: values))
    case .summary(let count): .summary(.init(count: count))
    case .beat(let n): .beat(.init(n: n))
    default: nil
    }
  }
}
