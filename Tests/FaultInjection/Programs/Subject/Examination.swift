package import Annals
package import Foundation

/// Examines a store as a program would that finds it after an accident, and compares it with the known calls.
package struct Examination: Examining {
  /// The known state of the calls.
  package struct Knowledge: Sendable {
    /// Calls that must be there, because they were answered.
    package var must: CallSet
    /// Calls that may be there, because they were begun.
    package var may: CallSet
    /// Whether a call can be missing only if all later ones are missing too.
    package var isHistory: Bool
    /// The version of its view that the program had, or that is to be opened; 0 if there was none yet.
    package var version = 0

    package init(must: CallSet, may: CallSet, isHistory: Bool) {
      self.must = must
      self.may = may
      self.isHistory = isHistory
    }

    /// Compares the calls in the store with the known ones.
    ///
    /// - Parameters:
    ///   - found: Their numbers, in order.
    ///   - further: Those of them that the examination itself has made.
    ///   - when: The moment, for findings.
    func check(_ found: [Int], further: [Int], _ when: String) throws {
      let there = Set(found)
      guard there.count == found.count else { throw Finding("\(when), a call is there twice") }
      let lost = must.numbers.subtracting(there)
      guard lost.isEmpty else { throw Finding("\(when), answered calls are lost: \(CallSet(lost).text)") }
      let invented = there.subtracting(may.numbers)
      guard invented.isEmpty else {
        throw Finding("\(when), calls that were refused are there: \(CallSet(invented).text)")
      }
      if isHistory,
        let hole = (0..<(there.subtracting(further).max() ?? 0)).first(where: { !there.contains($0) })
      {
        throw Finding("\(when), call \(hole) is missing before later ones")
      }
    }
  }

  /// The report on a store that is as it must be.
  package struct Impression: Sendable {
    /// The number of its entries.
    package var count: Int
    /// The position at which an unfinished pass resumed, or 1 if rows of a view could be read at once. It is
    /// 0 if everything started again.
    package var resumed: UInt64
    /// Whether a view had read entries that the log does not hold.
    package var isAhead = false
  }

  /// A violation of the required state.
  package struct Finding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// The name of the store in its directory.
  package static let name = "orders.annals"

  /// The treatment of passes.
  package enum Resumption: Int, Sendable {
    /// None is run.
    case none
    /// One is run, which resumes an unfinished one, as after another start of the system.
    case elsewhere
    /// The same as if the system had never stopped, which is wrong after a power cut.
    case here
  }

  private let resumption: Resumption
  private let calls: [Call]
  private let places: [Payload: (call: Int, index: Int)]
  /// The tags of all calls, also of those that are not there.
  var tags: Set<EventTag> { calls.reduce(into: []) { $0.formUnion($1.tags) } }
  /// Three calls that have not been made yet.
  private let further: [Call]

  /// An examination of stores of the workload with this seed and number of calls.
  package init(
    seed: UInt64, calls count: Int, resumption: Resumption = .none, isTagged: Bool = false
  ) throws(AnnalsError) {
    self.resumption = resumption
    var calls: [Call] = []
    for number in 0..<count + 3 { calls.append(try Call(number, seed: seed, isTagged: isTagged)) }
    self.calls = calls
    further = Array(calls.suffix(3))
    var places: [Payload: (call: Int, index: Int)] = [:]
    for call in calls {
      for (index, event) in call.events.enumerated() { places[event.entry.payload] = (call.number, index) }
    }
    self.places = places
  }

  /// Examines the store in `directory`, appends to it and opens it once more.
  ///
  /// - Throws: ``Finding``.
  package func run(in directory: URL, _ knowledge: Knowledge) async throws -> Impression {
    let url = directory.appendingPathComponent(Self.name)
    let exists = FileManager.default.fileExists(atPath: url.path)
    if !exists, !knowledge.must.numbers.isEmpty { throw Finding("the store is gone") }
    if exists {
      if try !Self.isUnfinished(url) { try verify(url, "as it is found") }
      if resumption != .none { try accept(url) }
    }
    let count = try await append(at: url, exists: exists, knowledge)
    if !exists {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      guard names == [Self.name] else { throw Finding("a creation left behind \(names)") }
    }
    // Everything of the first open has been released.
    var extended = knowledge
    extended.must.numbers.formUnion(further.map(\.number))
    extended.may.numbers.formUnion(further.map(\.number))
    let added = further.map(\.events.count).reduce(0, +)
    let after = try compare(open(url, .never), extended, "after it was opened again")
    guard after == count + added else {
      throw Finding("\(count) entries and \(added) more have become \(after)")
    }
    try verify(url, "after three more calls")
    return Impression(count: count, resumed: resumption == .none ? 0 : try await resume(url, extended, after))
  }

  /// Opens the store, compares it and makes three more calls.
  ///
  /// - Returns: The number of its entries before them.
  private func append(at url: URL, exists: Bool, _ knowledge: Knowledge) async throws -> Int {
    let log = try open(url, exists ? .never : .ifMissing)
    let count = try compare(log, knowledge, "as it is found")
    for call in further {
      do throws(AnnalsError) { try await call.append(to: log) } catch {
        throw Finding("an append failed: \(error)")
      }
    }
    return count
  }

  /// Accepts the generation in use if its switch was to be held.
  private func accept(_ url: URL) throws(Finding) {
    do throws(AnnalsError) { _ = try EventLog.accept(url) } catch {
      throw Finding("the switch cannot be accepted: \(error)")
    }
  }

  /// Runs a pass to its end, and removes the generations it has replaced.
  ///
  /// - Returns: The position at which it resumed; 0 if it started again.
  private func resume(_ url: URL, _ knowledge: Knowledge, _ count: Int) async throws -> UInt64 {
    var options = Passes.options()
    if resumption == .elsewhere { options.boot = { "another-run" } }
    let report: MigrationReport
    do throws(AnnalsError) {
      report = try await open(compacting: url, options)
    } catch {
      throw Finding("a pass failed: \(error)")
    }
    guard try compare(open(url, .never), knowledge, "after a pass") == count else {
      throw Finding("a pass changed the number of entries")
    }
    try verify(url, "after a pass")
    do throws(AnnalsError) { try await Passes.discard(url) } catch {
      throw Finding("the removal of what was replaced failed: \(error)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter {
      $0.hasSuffix(".mdb") || $0.hasSuffix(".state")
    }
    guard names.count == 1 else { throw Finding("after a removal there are \(names.sorted())") }
    guard try compare(open(url, .never), knowledge, "after a removal") == count else {
      throw Finding("a removal changed the number of entries")
    }
    return report.resumedAt
  }

  private func open(
    compacting url: URL, _ options: MigrationOptions
  ) async throws(AnnalsError) -> MigrationReport {
    let log = try EventLog(at: url, options: Workload.options(.full))
    return try await log.compact(options).report()
  }

  private func open(_ url: URL, _ creation: StoreOptions.Creation) throws -> EventLog {
    do throws(AnnalsError) {
      return try EventLog(at: url, options: StoreOptions(creation: creation, trust: .nobody))
    } catch {
      throw Finding("the open failed: \(error)")
    }
  }

  private func verify(_ url: URL, _ when: String) throws { try Self.verify(url, when) }

  /// Whether the last commit is in the journal only. Readers are then refused until a program opens the store
  /// for writing.
  static func isUnfinished(_ url: URL) throws -> Bool {
    do throws(AnnalsError) {
      _ = try EventLog(at: url, options: StoreOptions(access: .readOnly))
      return false
    } catch  where error.code == .incomplete && error.message.contains("in the journal alone") {
      return true
    } catch {
      return false
    }
  }

  /// Verifies the store.
  ///
  /// - Parameter isExpected: Whether a finding is as it must be.
  static func verify(
    _ url: URL, _ when: String, isExpected: (Annals.Finding) -> Bool = { _ in false }
  ) throws {
    let report: VerifyReport
    do throws(AnnalsError) { report = try EventLog.verify(url) } catch {
      throw Finding("\(when), verify failed: \(error)")
    }
    let isClean = report.isComplete && report.count == report.findings.count
    guard isClean, report.findings.allSatisfy(isExpected) else {
      let first = report.findings.first.map { "\($0.place): \($0.problem)" }
      throw Finding("\(when), verify found \(report.count) places, first \(first ?? "unlisted")")
    }
  }

  /// Compares the contents of the log with the calls.
  ///
  /// - Returns: The number of entries.
  private func compare(_ log: EventLog, _ knowledge: Knowledge, _ when: String) throws -> Int {
    let entries: [LogEntry]
    do throws(AnnalsError) {
      entries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    } catch {
      throw Finding("\(when), reading failed: \(error)")
    }
    var found: [Int] = []
    var rest = entries[...]
    while let first = rest.first {
      guard case .payload(let payload) = first.content, let place = places[payload] else {
        throw Finding("\(when), position \(first.position) holds what nobody appended")
      }
      let call = calls[place.call]
      for index in call.events.indices {
        guard let entry = rest.popFirst() else { throw Finding("\(when), call \(call.number) is cut off") }
        guard entry.position.rawValue == UInt64(entries.count - rest.count) else {
          throw Finding("\(when), position \(entry.position) is number \(entries.count - rest.count)")
        }
        if let what = call.difference(of: entry, at: index) {
          throw Finding("\(when), event \(index) of call \(call.number) is not as appended: \(what)")
        }
      }
      found.append(call.number)
    }
    try knowledge.check(found, further: further.map(\.number), when)
    try compareTags(log, entries, when)
    return entries.count
  }
}
