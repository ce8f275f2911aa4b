import Annals
import History

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A process that appends to and reads a few streams at random, and logs its requests and their results.
struct HistoryProcess: Command {
  /// The hidden command that runs it: store, log, number, streams, seed and the time of its end follow.
  static let command = "history-process"

  let store: URL
  let log: String
  let number: Int
  let streams: Int
  let seed: UInt64
  /// When it begins nothing more, on the shared clock.
  let end: UInt64

  /// The words of the hidden command.
  var arguments: [String] {
    [Self.command, store.path, log, "\(number)", "\(streams)", "\(seed)", "\(end)"]
  }

  /// Works until the end, or until it is killed.
  func run() async throws {
    var work = try begin()
    while SharedClock.now < end { try await work.next() }
  }

  /// Reads every stream once.
  func look() throws {
    var work = try begin()
    for stream in 0..<streams { try work.read(stream) }
  }

  private func begin() throws -> Work {
    let store = try EventLog(at: store, options: StoreOptions(creation: .never))
    return Work(self, store, try ProcessLog(creating: log))
  }
}

extension HistoryProcess {
  /// The process described by the hidden command's arguments.
  init(_ words: some Sequence<String>) throws(WrongUsage) {
    let words = Array(words)
    guard words.count == 6, let number = Int(words[2]), let streams = Int(words[3]),
      let seed = UInt64(words[4]), let end = UInt64(words[5])
    else { throw WrongUsage(description: "\(Self.command) is not for people") }
    self.init(
      store: URL(fileURLWithPath: words[0], isDirectory: true), log: words[1], number: number,
      streams: streams, seed: seed, end: end)
  }
}

extension HistoryProcess {
  /// What a process has while it works.
  private struct Work: ~Copyable {
    private let process: HistoryProcess
    private let store: EventLog
    private let log: ProcessLog
    private var clock = SharedClock()
    private var random: SplitMix64
    /// The length that each stream was last seen to have.
    private var known: [Int]
    private var made: UInt32 = 0

    init(_ process: HistoryProcess, _ store: EventLog, _ log: consuming ProcessLog) {
      self.process = process
      random = SplitMix64(seed: process.seed)
      known = Array(repeating: 0, count: process.streams)
      self.store = store
      self.log = log
    }

    mutating func next() async throws {
      let stream = Int.random(in: 0..<process.streams, using: &random)
      if Int.random(in: 0..<10, using: &random) < 4 {
        try read(stream)
      } else {
        try await append(to: stream)
      }
    }

    mutating func read(_ stream: Int) throws {
      let name = StreamName(SampleEvent.name(ofStream: stream))
      try write(.invoke, .read, stream, .nothing)
      let (head, last) = try store.read { snapshot throws(AnnalsError) in
        var entries = try snapshot.entries(in: name, backwards: true, limit: 1)
        return (try snapshot.revision(of: name), try entries.next()?.revision)
      }
      guard head == last else {
        throw WrongWork(
          description:
            "stream '\(name)' has its head at \(Self.text(head)) and its last entry at \(Self.text(last))")
      }
      known[stream] = Self.length(head)
      try write(.ok, .read, stream, .length(Self.length(head)))
    }

    private mutating func append(to stream: Int) async throws {
      let events = try (0..<Int.random(in: 1...3, using: &random)).map { _ in
        made += 1
        let event = SampleEvent(stream: stream, index: made, random: &random)
        return NewEntry(type: "Sampled", version: nil, payload: try Payload(bytes: event.payload))
      }
      let expect = expectation(of: stream)
      let asked = HistoryLine.Value.asked(count: events.count, expect: expect)
      try write(.invoke, .append, stream, asked)
      let answer: Result<Appended, AnnalsError>
      do throws(AnnalsError) {
        answer = .success(
          try await store.append(
            events, to: StreamName(SampleEvent.name(ofStream: stream)), expecting: Self.expectation(expect)))
      } catch { answer = .failure(error) }
      let time = clock.next()
      switch answer {
      case .success(let appended):
        let next = Self.length(appended.revision)
        guard appended.revisions.map({ Self.length($0) }) == Array(next - events.count + 1...next) else {
          throw WrongWork(description: "the revisions of one append do not follow each other")
        }
        known[stream] = next
        try write(.ok, .append, stream, .next(next), at: time)
      case .failure(let error):
        guard error.code == .conflict, let violation = error.details.violations.first else {
          // Any other error must not count as a refusal; it ends the process.
          try write(.info, .append, stream, asked, at: time)
          throw error
        }
        known[stream] = Self.length(violation.actual)
        try write(.fail, .append, stream, .actual(known[stream]), at: time)
      }
    }

    /// A length to expect: none, the known one, or a neighbour of it.
    private mutating func expectation(of stream: Int) -> Int? {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: nil
      case 1: max(0, known[stream] + Int.random(in: -1...2, using: &random))
      default: known[stream]
      }
    }

    private static func expectation(_ length: Int?) -> Expectation {
      switch length {
      case nil: .any
      case 0?: .noStream
      case let length?: .revision(Revision(UInt64(length - 1)))
      }
    }

    private static func length(_ head: Revision?) -> Int {
      head.map { Int($0.rawValue) + 1 } ?? 0
    }

    private static func text(_ revision: Revision?) -> String {
      revision.map { "\($0)" } ?? "none"
    }

    /// Writes a line with the time at which its operation was over, or with the time now.
    private mutating func write(
      _ type: HistoryLine.Kind, _ function: HistoryLine.Function, _ stream: Int, _ value: HistoryLine.Value,
      at time: UInt64? = nil
    ) throws {
      let time = time ?? clock.next()
      try log.write(
        HistoryLine(
          process: process.number, type: type, function: function, key: SampleEvent.name(ofStream: stream),
          value: value), at: time)
    }
  }
}
