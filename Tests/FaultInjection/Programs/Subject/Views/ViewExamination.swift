package import Annals
package import Foundation

/// Examines a store with a view as a program would that finds it after an accident. Compares the log with the
/// known calls, and all rows of the view with the log.
package struct ViewExamination: Examining {
  private typealias Finding = Examination.Finding

  /// The time in which a view must catch up.
  private static let patience = Duration.seconds(30)

  private let seed: UInt64
  private let durability: StoreOptions.Durability
  private let calls: [HarbourCall]
  /// Three calls that have not been made yet.
  private let further: [HarbourCall]

  /// An examination of stores of the workload with this seed and number of calls.
  ///
  /// - Parameter durability: The durability of the log. If it is relaxed, the view may have read entries that
  ///   the log has lost.
  package init(
    seed: UInt64, calls count: Int, durability: StoreOptions.Durability = .full
  ) throws(AnnalsError) {
    self.seed = seed
    self.durability = durability
    var calls: [HarbourCall] = []
    for number in 0..<count + 3 { calls.append(try HarbourCall(number, seed: seed)) }
    self.calls = calls
    further = Array(calls.suffix(3))
  }

  /// Examines the store in `directory` with a reader that changes nothing, a program that continues, and one
  /// that opens it once more.
  ///
  /// - Throws: ``Examination/Finding``.
  package func run(
    in directory: URL, _ knowledge: Examination.Knowledge
  ) async throws -> Examination.Impression {
    switch knowledge.version {
    case ...1: try await run(Cargo<CargoOne>.self, in: directory, knowledge)
    case 2: try await run(Cargo<CargoTwo>.self, in: directory, knowledge)
    default: try await run(Cargo<CargoThree>.self, in: directory, knowledge)
    }
  }

  private func run<V: CargoVersion>(
    _ projection: Cargo<V>.Type, in directory: URL, _ knowledge: Examination.Knowledge
  ) async throws -> Examination.Impression {
    let url = directory.appendingPathComponent(Examination.name)
    let exists = FileManager.default.fileExists(atPath: url.path)
    if !exists, !knowledge.must.numbers.isEmpty { throw Finding("the store is gone") }
    var (isAhead, isThere) = (false, false)
    if exists {
      // The last commit may be in the journal only. Opening the store for writing finishes it.
      if try Examination.isUnfinished(url) {
        _ = try EventLog(at: url, options: StoreOptions(creation: .never))
      }
      try Examination.verify(url, "as it is found") { finding in
        guard durability == .relaxed, finding.place.hasPrefix("view file "),
          finding.problem.hasSuffix("of a log that is not this one any more")
        else { return false }
        isAhead = true
        return true
      }
      isThere = try await read(projection, url, knowledge)
    }
    let count = try await goOn(projection, url, exists ? .never : .ifMissing, knowledge)
    var extended = knowledge
    extended.must.numbers.formUnion(further.map(\.number))
    extended.may.numbers.formUnion(further.map(\.number))
    try await openAgain(projection, url, extended)
    try Examination.verify(url, "after three more calls")
    var found = Examination.Impression(count: count, resumed: isThere ? 1 : 0)
    found.isAhead = isAhead
    return found
  }
}

extension ViewExamination {
  /// Reads as a program that may only read, and so builds nothing.
  ///
  /// - Returns: Whether the view can be read.
  private func read<V: CargoVersion>(
    _ projection: Cargo<V>.Type, _ url: URL, _ knowledge: Examination.Knowledge
  ) async throws -> Bool {
    let when = "read only"
    let store = try open(url, StoreOptions(access: .readOnly, creation: .never, trust: .nobody), when)
    let events = try await compare(store, knowledge, when)
    return try look(at: view(projection, of: store, when), events, when)
  }

  /// Opens the store, lets the view catch up, and makes three more calls.
  ///
  /// - Returns: The number of events in the store before them.
  private func goOn<V: CargoVersion>(
    _ projection: Cargo<V>.Type, _ url: URL, _ creation: StoreOptions.Creation,
    _ knowledge: Examination.Knowledge
  ) async throws -> Int {
    var options = ViewWorkload.options(.full)
    (options.creation, options.trust) = (creation, .nobody)
    let store = try open(url, options, "as it is found")
    var events = try await compare(store, knowledge, "as it is found")
    let count = events.count
    let view = try view(projection, of: store, "as it is found")
    // The view may have been built already.
    _ = try look(at: view, events, "as it is found")
    try await catchUp(view, events, "caught up")
    for call in further {
      let position: Position?
      do throws(AnnalsError) { position = try await call.append(to: store).positions.last } catch {
        throw Finding("an append failed: \(error)")
      }
      events += call.events.map(\.event)
      guard position?.rawValue == UInt64(events.count) else {
        throw Finding("call \(call.number) ended at position \(position ?? 0), not \(events.count)")
      }
      try await catchUp(view, events, "after call \(call.number)")
    }
    return count
  }

  /// Opens the store once more, and waits until all unused files are removed.
  private func openAgain<V: CargoVersion>(
    _ projection: Cargo<V>.Type, _ url: URL, _ knowledge: Examination.Knowledge
  ) async throws {
    let when = "opened again"
    let store = try open(url, ViewWorkload.options(.full), when)
    let events = try await compare(store, knowledge, when)
    let view = try view(projection, of: store, when)
    guard try look(at: view, events, when) else { throw Finding("\(when), the view cannot be read") }
    try await catchUp(view, events, when)
    let end = ContinuousClock.now + Self.patience
    while true {
      let numbers: [UInt64]
      do throws(AnnalsError) { numbers = try store.log.views().map(\.number) } catch {
        throw Finding("\(when), the views cannot be listed: \(error)")
      }
      if numbers.count == 1 { return }
      guard ContinuousClock.now < end else { throw Finding("\(when), there are the files \(numbers)") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func open(_ url: URL, _ options: StoreOptions, _ when: String) throws -> EventStore<Harbour> {
    do throws(AnnalsError) { return try EventStore(at: url, plan: Harbour.self, options: options) } catch {
      throw Finding("\(when), the open failed: \(error)")
    }
  }

  private func view<V: CargoVersion>(
    _ projection: Cargo<V>.Type, of store: EventStore<Harbour>, _ when: String
  ) throws -> View<Cargo<V>> {
    do throws(AnnalsError) { return try store.view(projection) } catch {
      throw Finding("\(when), the view cannot be opened: \(error)")
    }
  }
}

extension ViewExamination {
  /// Compares the contents of the log with the calls.
  ///
  /// - Returns: All its events.
  private func compare(
    _ store: EventStore<Harbour>, _ knowledge: Examination.Knowledge, _ when: String
  ) async throws -> [HarbourV1.Event] {
    var entries: [Entry<HarbourV1.Event>] = []
    do {
      for try await entry in store.entries() { entries.append(entry) }
    } catch {
      throw Finding("\(when), reading failed: \(error)")
    }
    var found: [Int] = []
    var rest = entries[...]
    while let first = rest.first {
      let number = HarbourCall.number(at: first.timestamp)
      guard calls.indices.contains(number) else {
        throw Finding("\(when), position \(first.position) holds what nobody appended")
      }
      let call = calls[number]
      for index in call.events.indices {
        guard let entry = rest.popFirst() else { throw Finding("\(when), call \(number) is cut off") }
        let place = entries.count - rest.count
        guard entry.position.rawValue == UInt64(place) else {
          throw Finding("\(when), position \(entry.position) is number \(place)")
        }
        guard call.stored(entry, at: index) else {
          throw Finding("\(when), event \(index) of call \(number) is not as appended")
        }
      }
      found.append(number)
    }
    try knowledge.check(found, further: further.map(\.number), when)
    return entries.map(\.event)
  }

  /// Waits until a view serves its own version and has read everything, then compares its rows with the log.
  private func catchUp<V: CargoVersion>(
    _ view: View<Cargo<V>>, _ events: [HarbourV1.Event], _ when: String
  ) async throws {
    let end = ContinuousClock.now + Self.patience
    do throws(AnnalsError) {
      while true {
        try await view.waitUntil(Position(UInt64(events.count)), timeout: Self.patience)
        let status = try view.status()
        if status.servedVersion == V.number, status.progress == nil { break }
        guard ContinuousClock.now < end else { throw AnnalsError(.busy, "\(status)") }
        try await pause()
      }
    } catch {
      throw Finding("\(when), the view does not catch up: \(error)")
    }
    guard try look(at: view, events, when) else { throw Finding("\(when), the view cannot be read") }
  }

  private func pause() async throws(AnnalsError) {
    do { try await Task.sleep(for: .milliseconds(2)) } catch { throw AnnalsError(.cancelled, "\(error)") }
  }

  /// Compares the readable rows with those that follow from the log up to their position.
  ///
  /// - Returns: Whether there are rows to read.
  private func look<V: CargoVersion>(
    at view: View<Cargo<V>>, _ events: [HarbourV1.Event], _ when: String
  ) throws -> Bool {
    let found: CargoRows
    do throws(AnnalsError) {
      found = try view.read { (snapshot) throws(AnnalsError) in try CargoRows(snapshot) }
    } catch {
      // The view is not built yet, or this program may not build it.
      if error.code == .busy || error.code == .readOnly { return false }
      throw Finding("\(when), the view cannot be read: \(error)")
    }
    guard found.position <= UInt64(events.count) else {
      throw Finding("\(when), the view is at position \(found.position) of \(events.count)")
    }
    let version = found.version ?? V.number
    guard version <= V.number else { throw Finding("\(when), version \(version) is read as \(V.number)") }
    let right = CargoRows(of: events, upTo: found.position, version: version)
    if let difference = found.difference(from: right) {
      throw Finding("\(when), at position \(found.position) of \(events.count), \(difference)")
    }
    return true
  }
}
