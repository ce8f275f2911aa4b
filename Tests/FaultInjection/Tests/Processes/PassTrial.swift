import FaultPrograms
import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// A store with a few hundred entries of a plan's first version, on which a pass of another process is tried.
struct PassTrial {
  /// The number of initial calls, of three events each.
  private static let calls = 50

  let temporary: TemporaryStore
  /// The events that the plan reads before any pass.
  let before: [MealStore.Reading]

  /// Creates the store.
  init() async throws {
    temporary = try TemporaryStore()
    try await MealStore.seed(temporary.url, calls: Self.calls)
    before = try MealStore.read(temporary.url)
  }

  /// A trial with a copy of another one's store.
  ///
  /// - Parameter parent: Its directory; `nil` for the system's folder for temporary files.
  init(copying other: PassTrial, below parent: URL? = nil) throws {
    temporary = try TemporaryStore(in: parent ?? FileManager.default.temporaryDirectory)
    try FileManager.default.copyItem(at: other.temporary.url, to: temporary.url)
    before = other.before
  }

  private var store: String { temporary.url.path }

  /// The notes of the writer `number`.
  func journal(_ number: Int) -> String { temporary.path("writer\(number)") }

  /// Begins a writer.
  ///
  /// - Parameter version: The version of the plan that it uses.
  func writer(_ number: Int, version: Int = 2, calls: Int = 1_000_000) throws -> Child {
    try Child.run("serve", store, journal(number), "\(number)", "\(version)", "\(calls)")
  }

  /// Begins a pass.
  func pass(_ words: String...) throws -> Child {
    try Child([Child.program, "pass", store] + words)
  }

  /// Resumes the pass and runs it to its end.
  ///
  /// - Returns: The output of the program: `done` or `nothing`, the generation in use, the position at which
  ///   it resumed, and the steps it met.
  func finish(_ words: String...) throws -> [Substring] {
    let child = try Child([Child.program, "pass", store] + words)
    let end = try child.wait()
    let text = child.text()
    guard end == .exit(0) else {
      throw Failed(reason: "the pass ended with \(String(describing: end)): \(text)")
    }
    return text.drop { $0 == "!" }.split { $0.isWhitespace }
  }

  struct Failed: Error {
    let reason: String
  }
}

// Checks of the final state.
extension PassTrial {
  /// The errors in the readable events, judged by the initial ones and by the journals of writers.
  ///
  /// - Parameter numbers: The writers.
  func problems(_ numbers: [Int] = [], others: Set<String> = []) throws -> [String] {
    // First the answered calls, then the contents: writers may be at work.
    let journals = try numbers.map { ($0, try Journal.lines(path: journal($0))) }
    let found = try MealStore.read(temporary.url)
    var problems: [String] = []
    if Array(found.prefix(before.count)) != before {
      problems.append("what was there before reads otherwise")
    }
    var positions: [UInt64: [MealStore.Reading]] = [:]
    var ids: [UUID: UInt64] = [:]
    var last: UInt64 = 0
    for reading in found {
      if reading.position < last { problems.append("position \(reading.position) behind \(last)") }
      last = reading.position
      positions[reading.position, default: []].append(reading)
      guard let id = reading.id else { continue }
      if let other = ids.updateValue(reading.position, forKey: id), other != reading.position {
        problems.append("the event at \(other) is at \(reading.position) too")
      }
    }
    var known = Set(before.map(\.position))
    for (number, lines) in journals {
      problems += self.problems(of: number, lines, positions, ids, &known)
    }
    // Calls that were not answered when the journals were read may be there.
    let strangers = positions.filter { position, readings in
      !known.contains(position)
        && !readings.allSatisfy { reading in
          others.contains(reading.event)
            || reading.id.map { id in numbers.contains { WriterCall.place(of: id)?.writer == $0 } } ?? false
        }
    }
    if !strangers.isEmpty { problems.append("nobody appended what is at \(strangers.keys.sorted())") }
    return problems
  }

  private func problems(
    of number: Int, _ lines: [[String]], _ positions: [UInt64: [MealStore.Reading]],
    _ ids: [UUID: UInt64], _ known: inout Set<UInt64>
  ) -> [String] {
    var problems: [String] = []
    for words in lines {
      guard words.count > 1, let index = Int(words[1]) else { continue }
      let call = MealCall(writer: number, number: index)
      if words[0] == "failed" { problems.append("writer \(number): \(words.joined(separator: " "))") }
      guard words[0] == "done" else { continue }
      let places = words.dropFirst(2)
      if places.count != call.count {
        problems.append("call \(index) of writer \(number) was answered short")
      }
      for (event, place) in places.enumerated() {
        let parts = place.split(separator: ":").compactMap { UInt64($0) }
        guard parts.count == 2 else { continue }
        known.insert(parts[0])
        let readings = positions[parts[0], default: []]
        let isThere = readings.allSatisfy { $0.id == call.id(event) && $0.revision == parts[1] }
        // An order without dishes reads as no event. No other event may.
        if !isThere || !call.readings(event).contains(readings.map(\.event)) {
          problems.append(
            "event \(event) of call \(index) of writer \(number) is not at \(place): \(readings)")
        }
      }
    }
    // A call that was not answered is whole or absent.
    for case let words in lines where words.count > 1 && words[0] == "begin" {
      guard let index = Int(words[1]) else { continue }
      let call = MealCall(writer: number, number: index)
      let readable = (0..<call.count).filter { call.readings($0).allSatisfy { !$0.isEmpty } }
      let there = readable.filter { ids[call.id($0)] != nil }
      if !there.isEmpty, there != readable { problems.append("call \(index) of writer \(number) is torn") }
    }
    return problems
  }

  /// The errors in the store's files once no pass is under way: damage, several generations in use,
  /// leftovers.
  func disorder() throws -> [String] {
    var problems = try EventLog.verify(temporary.url).findings.map { "\($0.place): \($0.problem)" }
    let options = StoreOptions(access: .readOnly, creation: .never)
    let opening = StoreOpening(directory: try StorePlace(temporary.url).open(options), options: options)
    let current = try opening.readCurrent()
    let names = try FileManager.default.contentsOfDirectory(atPath: store)
    let numbers = Set(names.compactMap { GenerationFiles.number(ofFile: $0) })
    var live: [UInt64] = []
    for number in numbers.sorted() {
      guard let file = try opening.open(number, of: current.log) else {
        problems.append("of generation \(number) only part of the files is there")
        continue
      }
      switch file.meta.state {
      case .live, .appendsSuspended: live.append(number)
      case .sealed: break
      case .building: problems.append("generation \(number) was left unfinished")
      }
    }
    if live != [current.generation] {
      problems.append("CURRENT names \(current.generation), and \(live) say that they are in use")
    }
    let left = names.filter { $0.hasSuffix(".state") || $0.hasSuffix(".tmp") }
    if !left.isEmpty { problems.append("left after: \(left)") }
    return problems
  }

  /// Every row of every table but `meta` of the generation in use.
  func rows() throws -> [String] {
    let log = try EventLog(at: temporary.url, options: StoreOptions(access: .readOnly, creation: .never))
    let tables = log.core.generation.tables
    return try log.core.generation.environment.read(failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      var rows: [String] = []
      let reader = StoreReader(transaction.view, tables)
      for table in [tables.entries, tables.heads, tables.schemas, tables.kinds, tables.census] {
        var cursor = try reader.cursor(in: table)
        while let row = try cursor.nextRow() {
          rows.append("\(table.definition.name) \(row.key) \(row.value.copied)")
        }
      }
      var streams = try reader.streamsCursor()
      while let row = try streams.nextRow() {
        rows.append("streams \(row.key.copied) \(row.value.copied)")
      }
      return rows
    }
  }
}
