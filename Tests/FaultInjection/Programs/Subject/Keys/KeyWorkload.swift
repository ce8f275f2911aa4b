#if canImport(AnnalsKeys)
  import Annals
  import AnnalsCoding
  import AnnalsFormat
  import AnnalsKeys
  import AnnalsLog
  import Foundation
  import LMDB

  /// Runs the operations of a workload that makes, rotates and drops keys, one after another.
  ///
  /// Keys are random. So it writes each of them, durably, to a file next to the store, in which an examiner
  /// finds the bytes that must be gone.
  struct KeyWorkload {
    /// The name of the file with all keys.
    static let known = "known-keys"
    /// The number of operations after which the store is closed and opened again.
    private static let session = 8

    let workload: Workload
    let url: URL
    let journal: CallJournal

    func run() async throws {
      var model = KeyModel()
      var opened: (store: EventStore<PeoplePlan>, keys: SubjectKeys)?
      for number in workload.calls {
        if number % Self.session == 0 { opened = nil }
        let (store, keys) = try opened ?? Self.open(url)
        opened = (store, keys)
        let operation = KeyOperation.make(number, seed: workload.seed, after: model)
        try journal.note(.begin(number))
        switch operation {
        case .append(let person, let name):
          try await store.append([.named(.init(person: KeyOperation.id(person), name: name))], to: "people")
        case .rotate(let person): try keys.rotate(KeyOperation.id(person))
        case .forget(let person):
          // Its keys are known by now: each operation writes down those that it has made.
          try store.forget(KeyOperation.id(person), by: "test", because: KeyOperation.reason(person))
        }
        try journal.note(.done(number))
        model.apply(operation)
        try note(model)
      }
    }

    static func open(
      _ url: URL, _ options: StoreOptions = Workload.options(.full)
    ) throws -> (EventStore<PeoplePlan>, SubjectKeys) {
      let keys = SubjectKeys()
      var options = options
      options.keys = keys
      return (try EventStore(at: url, plan: PeoplePlan.self, options: options), keys)
    }

    /// Adds the keys that the file has now to those that are known.
    private func note(_ model: KeyModel) throws {
      let directory = url.deletingLastPathComponent()
      let known = try Self.known(in: directory)
      var lines = ""
      for person in model.people where !model.forgotten.contains(person) {
        for key in try Self.keys(of: KeyOperation.id(person), in: url)
        where known[person]?.contains(key) != true {
          lines += "\(person) \(key)\n"
        }
      }
      guard !lines.isEmpty else { return }
      let path = directory.appendingPathComponent(Self.known).path
      if !FileManager.default.fileExists(atPath: path) {
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
          throw CocoaError(.fileWriteUnknown)
        }
      }
      let handle = try FileHandle(forUpdating: URL(filePath: path))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(lines.utf8))
      try handle.synchronize()
      try handle.close()
      try Directory.open(path: directory.path(percentEncoded: false)).synchronize()
    }

    /// The keys that were written down, as hexadecimal digits, by person.
    static func known(in directory: URL) throws -> [Int: Set<String>] {
      let file = directory.appendingPathComponent(known)
      guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
      var known: [Int: Set<String>] = [:]
      for line in String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count == 2, let person = Int(words[0]), words[1].count == 64 else { continue }
        known[person, default: []].insert(String(words[1]))
      }
      return known
    }

    /// The keys of a person in the file of keys, as hexadecimal digits.
    private static func keys(of id: String, in url: URL) throws -> [String] {
      let directory = try Directory.open(path: url.path(percentEncoded: false))
      let environment = try Environment.open(
        KeyNotes.name, in: directory, tables: KeyNotes.definitions,
        locks: KeyNotes.locks(in: directory, isReadOnly: false),
        options: KeyNotes.options(isReadOnly: false))
      let name = SHA256.hash(id.utf8)
      let stored = try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
        do throws(EnvironmentError) {
          return try transaction.view.value(forKey: name.span, in: environment.table("keys"))?.copied
        } catch {
          throw AnnalsError(error)
        }
      }
      guard let stored else { return [] }
      // Count, then number and key of each, and the checksum of the row (docs/format-payloads.md).
      let rows = stored.dropFirst().dropLast(4)
      return stride(from: rows.startIndex, to: rows.endIndex, by: 36).map { start in
        rows[start + 4..<start + 36].map { byte in
          String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
      }
    }
  }
#endif
