import Annals
package import Foundation

/// Examines a store after operations that end the lives of events, and compares it with a model.
package struct LifeExamination: Examining {
  private typealias Finding = Examination.Finding

  private let lives: Lives
  private let seed: UInt64
  private let calls: Int

  /// An examination of stores of the workload with this seed and number of operations.
  package init(_ lives: Lives, seed: UInt64, calls: Int) {
    self.lives = lives
    self.seed = seed
    self.calls = calls
  }

  /// Compares the store in `directory` with the states that it may have, lets a pass remove what is not used,
  /// appends an event, and compares it again.
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
    if try !Examination.isUnfinished(url) { try Examination.verify(url, "as it is found") }
    let log = try open(url)
    var model = try state(of: log, among: states(knowledge), "as it is found")
    try Examination.verify(url, "once it was opened")
    try await perform(.compact, log, url, &model)
    // The second pass finds what the older generation referred to.
    try await perform(.compact, log, url, &model)
    try checkContents(model, log, url)
    let stream = model.streams[0]?.isClosed == true ? 7 : 0
    try await perform(.append(stream: stream, contents: [[1]]), log, url, &model)
    try Examination.verify(url, "after a pass and an append")
    return Examination.Impression(count: Int(clamping: model.last), resumed: 0)
  }

  /// The states after the operations that were answered, and during one that was begun.
  private func states(_ knowledge: Examination.Knowledge) -> [LifeModel] {
    var model = LifeModel()
    let done = knowledge.must.numbers.count
    for number in 0..<done {
      model = model.states(of: .make(number, lives, seed: seed, after: model)).last ?? model
    }
    guard knowledge.may.numbers.contains(done) else { return [model] }
    return [model] + model.states(of: .make(done, lives, seed: seed, after: model))
  }

  /// Performs an operation, and compares the store with the model after it.
  private func perform(
    _ operation: LifeOperation, _ log: EventLog, _ url: URL, _ model: inout LifeModel
  ) async throws {
    do { try await operation.run(in: log, at: url) } catch {
      throw Finding("\(operation) failed: \(error)")
    }
    model = model.states(of: operation).last ?? model
    _ = try state(of: log, among: [model], "after \(operation)")
  }

  private func open(_ url: URL) throws -> EventLog {
    do throws(AnnalsError) {
      return try EventLog(at: url, options: StoreOptions(creation: .never, trust: .nobody))
    } catch {
      throw Finding("the open failed: \(error)")
    }
  }

  /// Finds the state that the store has.
  private func state(of log: EventLog, among states: [LifeModel], _ when: String) throws -> LifeModel {
    let seen: LifeView
    do throws(AnnalsError) { seen = try LifeView(log) } catch {
      throw Finding("\(when), reading failed: \(error)")
    }
    if let state = states.first(where: { LifeView($0) == seen }) { return state }
    let expected = states.map { "\(LifeView($0))" }.joined(separator: " or ")
    throw Finding("\(when), the store is \(seen), not \(expected)")
  }

  /// Compares the files with contents with the events that refer to them.
  private func checkContents(_ model: LifeModel, _ log: EventLog, _ url: URL) throws {
    let path = url.appendingPathComponent("blobs").path
    guard FileManager.default.fileExists(atPath: path) else { return }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "blobs.lock" }
    let used = Set(model.streams.values.flatMap { stream in stream.events.flatMap(\.contents) })
    let expected = used.compactMap { LifeOperation.hash($0)?.description }
    guard Set(names) == Set(expected) else {
      throw Finding("the files of contents are \(names.sorted()), not \(expected.sorted())")
    }
  }
}

/// What readers see of the streams.
struct LifeView: Equatable {
  /// What readers see of one stream.
  struct Stream: Equatable {
    var isClosed: Bool
    var oldest: UInt64
    var next: UInt64
    /// The position of each event that is shown, and its contents; `nil` for an erased one.
    var events: [UInt64: Set<String>?]
  }

  var streams: [Int: Stream] = [:]
  var last: UInt64

  init(_ model: LifeModel) {
    last = model.last
    streams = model.streams.mapValues { stream in
      var events: [UInt64: Set<String>?] = [:]
      for event in stream.events.dropFirst(Int(clamping: stream.oldest)) {
        let hashes = Set(event.contents.compactMap { LifeOperation.hash($0)?.description })
        events.updateValue(event.isErased ? nil : hashes, forKey: event.position)
      }
      return Stream(isClosed: stream.isClosed, oldest: stream.oldest, next: stream.next, events: events)
    }
  }

  init(_ log: EventLog) throws(AnnalsError) {
    (last, streams) = try log.read { (snapshot) throws(AnnalsError) in
      var streams: [Int: Stream] = [:]
      for number in 0..<8 {
        let name = LifeOperation.name(number)
        guard let state = try snapshot.state(of: name) else { continue }
        var stream = Stream(
          isClosed: state.isClosed, oldest: state.oldest.rawValue, next: state.revision.rawValue + 1,
          events: [:])
        var entries = try snapshot.entries(in: name)
        while let entry = try entries.next() {
          var contents: Set<String>? = Set(entry.attachments.map(\.description))
          if case .stub = entry.content { contents = nil }
          stream.events.updateValue(contents, forKey: entry.position.rawValue)
        }
        streams[number] = stream
      }
      return (try snapshot.head()?.rawValue ?? 0, streams)
    }
  }
}
