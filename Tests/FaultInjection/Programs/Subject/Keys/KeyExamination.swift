#if canImport(AnnalsKeys)
  import Annals
  import AnnalsKeys
  package import Foundation

  /// Examines a store after keys were made, rotated and dropped, and compares it with a model.
  package struct KeyExamination: Examining {
    private typealias Finding = Examination.Finding

    private let seed: UInt64

    /// An examination of stores of the workload with this seed.
    package init(seed: UInt64) {
      self.seed = seed
    }

    /// Looks for the bytes of dropped keys, opens the store, compares what it shows, looks again, and forgets
    /// everybody.
    ///
    /// - Throws: ``Examination/Finding``.
    package func run(
      in directory: URL, _ knowledge: Examination.Knowledge
    ) async throws -> Examination.Impression {
      let url = directory.appendingPathComponent(Examination.name)
      guard FileManager.default.fileExists(atPath: url.path) else {
        guard knowledge.must.numbers.isEmpty else { throw Finding("the store is gone") }
        return Examination.Impression(count: 0, resumed: 0)
      }
      let states = states(knowledge)
      let known = try KeyWorkload.known(in: directory)
      // A removal that has returned holds before anything is recovered.
      try search(url, for: states[0].forgotten, known, "as it is found")
      let found = try await compare(url, states)
      try search(url, for: found.forgotten, known, "once it was opened")
      try Examination.verify(url, "once it was opened")
      try await forgetAll(url, found, known)
      return Examination.Impression(count: found.names.count, resumed: 0)
    }

    /// The states after the operations that were answered, and after one more if it was begun.
    private func states(_ knowledge: Examination.Knowledge) -> [KeyModel] {
      var model = KeyModel()
      let done = knowledge.must.numbers.count
      for number in 0..<done { model.apply(.make(number, seed: seed, after: model)) }
      guard knowledge.may.numbers.contains(done) else { return [model] }
      var next = model
      next.apply(.make(done, seed: seed, after: model))
      return [model, next]
    }

    /// Opens the store, and compares it with the states that it may have.
    private func compare(_ url: URL, _ states: [KeyModel]) async throws -> KeyModel {
      let (store, keys): (EventStore<PeoplePlan>, SubjectKeys)
      do {
        (store, keys) = try KeyWorkload.open(url, StoreOptions(creation: .never, trust: .nobody))
      } catch {
        throw Finding("the open failed: \(error)")
      }
      let names: [String]
      do { names = try Self.names(store) } catch { throw Finding("reading failed: \(error)") }
      let candidates = states.filter { $0.shown == names }
      guard let first = candidates.first else {
        throw Finding("the names are \(names), not \(states.map(\.shown))")
      }
      // A person without an event, or whose last event is not there, looks forgotten in neither state.
      let found =
        try candidates.first { state in
          try state.people.allSatisfy { person in
            try keys.isForgotten(KeyOperation.id(person)) == state.forgotten.contains(person)
          }
        } ?? first
      guard try keys.unrecordedDrops() == [] else { throw Finding("a removal is not recorded") }
      let recorded = try store.log.erasures().map(\.reason).sorted()
      let expected = found.forgotten.map(KeyOperation.reason).sorted()
      guard recorded == expected else {
        throw Finding("the log records the removals \(recorded), not \(expected)")
      }
      return found
    }

    /// Looks for the keys of people in all files of the store.
    private func search(
      _ url: URL, for people: Set<Int>, _ known: [Int: Set<String>], _ when: String
    ) throws {
      let keys = people.flatMap { person in (known[person] ?? []).map { (person, Self.bytes($0)) } }
      guard !keys.isEmpty, let files = FileManager.default.enumerator(atPath: url.path) else { return }
      for case let name as String in files {
        let path = url.appendingPathComponent(name)
        guard let data = FileManager.default.contents(atPath: path.path) else { continue }
        for (person, key) in keys where data.range(of: key) != nil {
          throw Finding("\(when), '\(name)' has a key of person \(person), who was forgotten")
        }
      }
    }

    /// Forgets everybody else, as if all calls were repeated.
    private func forgetAll(_ url: URL, _ model: KeyModel, _ known: [Int: Set<String>]) async throws {
      do {
        let (store, _) = try KeyWorkload.open(url)
        for person in model.people where !model.forgotten.contains(person) {
          try store.forget(KeyOperation.id(person), by: "test", because: KeyOperation.reason(person))
        }
        guard try Self.names(store).allSatisfy({ $0 == "nobody" }) else {
          throw Finding("a name is left after everybody was forgotten")
        }
      }
      try search(url, for: Set(model.people), known, "after everybody was forgotten")
      try Examination.verify(url, "after everybody was forgotten")
    }

    private static func names(_ store: EventStore<PeoplePlan>) throws -> [String] {
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        var names: [String] = []
        while let entry = try entries.next() {
          if case .named(let named) = entry.event { names.append(named.name) }
        }
        return names
      }
    }

    private static func bytes(_ digits: String) -> Data {
      var bytes = Data()
      var rest = Substring(digits)
      while rest.count >= 2 {
        bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      }
      return bytes
    }
  }
#endif
