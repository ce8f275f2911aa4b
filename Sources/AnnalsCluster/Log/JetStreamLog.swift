package import AnnalsCoding
package import AnnalsReplication
package import Foundation
internal import LMDB
internal import Synchronization

/// A replicated log in a stream of NATS JetStream.
///
/// It can be used while no server answers: it connects when it is first used, and again after each loss.
package final class JetStreamLog: ReplicatedLog {
  private let link: BrokerLink
  private let publisher: Publisher
  private let threads: Mutex<[ObjectIdentifier: MessageThread]> = Mutex([:])
  private let answers: Mutex<MachineAnswers?> = Mutex(nil)
  private let report: Mutex<(@Sendable () -> MachineReport?)?> = Mutex(nil)
  private let listeners: Mutex<[UUID: AsyncStream<[UInt8]>.Continuation]> = Mutex([:])
  private let isClosed = Atomic(false)
  private let target = AnswerTarget()
  private let settling: Int
  private let last = LastMark()

  /// Prepares a log; nothing is asked of the servers yet.
  ///
  /// - Parameters:
  ///   - address: The servers and the name of the log.
  ///   - creates: Whether a missing log is created; `false` for a machine that has applied messages of it.
  ///   - settling: The nanoseconds for which servers must differ before that is reported.
  /// - Throws: ``AnnalsError`` with code `inputOutput` if a file with credentials or certificates cannot be
  ///   read.
  init(
    _ address: BrokerAddress, creates: Bool, settling: Int = FollowMachine.staleness
  ) throws(AnnalsError) {
    self.settling = settling
    // The library reads some of them only when it connects, and then fails as if no server were there.
    let security = address.security
    let files = [
      address.credentials, security?.authorities?.path, security?.certificate?.path, security?.key?.path,
    ]
    for file in files.compactMap({ $0 }) where !FileManager.default.isReadableFile(atPath: file) {
      throw AnnalsError(
        .inputOutput, "the file '\(file)' for the connection to the shared log cannot be read")
    }
    // The link calls the publisher and the publisher the link; the route between them is made first.
    let target = target
    link = BrokerLink(address, creates: creates) { id, answer in target.publisher?.answered(id, answer) }
    publisher = Publisher(link)
    target.publisher = publisher
    try publisher.start()
  }

  deinit {
    guard !isClosed.load(ordering: .relaxed) else { return }
    answers.withLock { $0?.stop() }
    let (publisher, link, target) = (publisher, link, target)
    // Closing waits for threads of the library, and this may be a thread of the concurrency pool.
    do throws(StoreFileError) {
      try WriterThread(name: "annals-close") { Self.shutDown(publisher, link, target) }.letGo()
    } catch {
      Self.shutDown(publisher, link, target)
    }
  }

  package func publish(
    _ bytes: [UInt8], id: UUID, within limit: Duration
  ) async throws(AnnalsError) -> UInt64 {
    try await publisher.publish(bytes, id: id, within: limit)
  }

  package func publish(
    _ bytes: [UInt8], id: UUID, within limit: Duration,
    _ receive: @escaping @Sendable (Result<UInt64, AnnalsError>) -> Void
  ) {
    publisher.publish(bytes, id: id, within: limit, receive)
  }

  package func follow(
    after sequence: UInt64, pace: FollowPace,
    _ receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
  ) async throws {
    let thread = MessageThread(link, settling: settling, last: last, pace: pace, receive)
    threads.withLock { $0[ObjectIdentifier(thread)] = thread }
    defer { threads.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(thread)) } }
    guard !isClosed.load(ordering: .relaxed) else { return }
    try thread.start(after: sequence)
    try await thread.end()
  }

  package func last(within limit: Duration) async throws(AnnalsError) -> UInt64 {
    try await stream(within: limit).last
  }

  package func erase(_ sequence: UInt64) async throws(AnnalsError) {
    let name = link.address.name
    try await asking(within: .seconds(30), "erase message \(sequence)") {
      connection, rest throws(NATSFailure) in
      do throws(NATSFailure) { try connection.erase(sequence, from: name, upTo: rest) } catch {
        // An earlier try, or another machine, was first.
        guard error.kind == .noMessage else { throw error }
      }
    }
  }

  package func announce(_ bytes: [UInt8]) async {
    let subject = link.address.name.questions
    // What is announced is announced again.
    _ = try? await asking(within: .seconds(1), "pass an announcement on") {
      connection, _ throws(NATSFailure) in try connection.send(bytes, to: subject)
    }
  }

  package func announcements(_ receive: @escaping @Sendable ([UInt8]) async -> Void) async {
    let (all, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(256))
    let id = UUID.random()
    listeners.withLock { $0[id] = continuation }
    defer { listeners.withLock { $0[id] = nil } }
    do throws(AnnalsError) { try startAnswers() } catch { return }
    for await bytes in all { await receive(bytes) }
  }

  /// Asks the leader of the log about it.
  func stream(within limit: Duration) async throws(AnnalsError) -> StreamFacts {
    let name = link.address.name
    return try await asking(within: limit, "say where it ends") { connection, rest throws(NATSFailure) in
      try connection.stream(name, upTo: rest)
    }
  }

  /// What should be changed at the servers, in words; empty if nothing that can be seen from here.
  ///
  /// Each server is asked for its greeting.
  package func warnings(within limit: Duration) async throws(AnnalsError) -> [String] {
    let replicas = try await stream(within: limit).replicas
    let servers = await greetings(within: limit)
    return BrokerAdvice.warnings(servers: servers, replicas: replicas)
  }

  /// The name of the log.
  var name: LogName { link.address.name }

  /// How often the present followers of the log found that two servers have different messages at a sequence.
  var differences: Int { threads.withLock { $0.values.reduce(0) { $0 + $1.differed } } }

  /// The number of addresses of servers.
  var serverCount: Int { link.address.servers.count }

  /// What the servers that answer say of themselves.
  func greetings(within limit: Duration) async -> [ServerFacts] {
    let places = link.address.servers.compactMap(ServerPlace.init)
    let milliseconds = Int32(clamping: limit.wholeNanoseconds / 1_000_000 / max(places.count, 1))
    return await BlockingCall.run { places.compactMap { ServerGreeting.read(from: $0, upTo: milliseconds) } }
      ?? []
  }

  /// Begins to answer questions how this machine is.
  ///
  /// - Parameter report: Returns the answer; `nil` once the machine has left.
  func answerQuestions(_ report: @escaping @Sendable () -> MachineReport?) throws(AnnalsError) {
    self.report.withLock { $0 = report }
    try startAnswers()
  }

  /// Starts the thread that answers and listens, unless it runs.
  private func startAnswers() throws(AnnalsError) {
    let made = MachineAnswers(link) { [weak self] in
      self?.report.withLock { $0 }?()
    } heard: { [weak self] bytes in
      for listener in self?.listeners.withLock({ Array($0.values) }) ?? [] { listener.yield(bytes) }
    }
    let isFirst = answers.withLock { answers in
      guard answers == nil else { return false }
      answers = made
      return true
    }
    if isFirst { try made.start() }
  }

  /// Asks all machines how they are, and returns what those say that answer in time.
  ///
  /// - Parameters:
  ///   - limit: The longest time to wait for a connection.
  ///   - patience: The time to wait for answers.
  package func machines(
    within limit: Duration, patience: Duration = .seconds(1)
  ) async throws(AnnalsError) -> [MachineReport] {
    let subject = link.address.name.questions
    let milliseconds = Int64(patience.wholeNanoseconds / 1_000_000)
    let answers = try await asking(within: limit, "pass a question on") { connection, _ throws(NATSFailure) in
      try connection.ask(at: subject, for: milliseconds)
    }
    return answers.compactMap(MachineReport.init)
      .sorted { ($0.machine, $0.store, $0.process) < ($1.machine, $1.store, $1.process) }
  }

  /// Ends all followers and publishers, and closes the connection.
  package func close() async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    for thread in threads.withLock({ Array($0.values) }) { thread.stop() }
    answers.withLock { $0?.stop() }
    let (publisher, link, target) = (publisher, link, target)
    _ = await BlockingCall.run {
      Self.shutDown(publisher, link, target)
      publisher.join()
    }
  }

  private static func shutDown(_ publisher: Publisher, _ link: BrokerLink, _ target: AnswerTarget) {
    target.publisher = nil
    publisher.close()
    link.close()
  }

  /// Calls `body` on a thread of its own until it succeeds or the time has passed.
  func asking<R: Sendable>(
    within limit: Duration, _ wish: String,
    _ body: @escaping @Sendable (NATSConnection, Int64) throws(NATSFailure) -> R
  ) async throws(AnnalsError) -> R {
    let link = link
    let end = Clock.now + limit.wholeNanoseconds
    let result = await BlockingCall.run { Self.ask(link, until: end, wish, body) }
    guard let result else {
      throw AnnalsError(.inputOutput, "the system has no thread to ask the servers with")
    }
    return try result.get()
  }

  private static func ask<R>(
    _ link: BrokerLink, until end: Int, _ wish: String,
    _ body: (NATSConnection, Int64) throws(NATSFailure) -> R
  ) -> Result<R, AnnalsError> {
    var last = NATSFailure(.passing, "no server answers")
    repeat {
      do throws(NATSFailure) {
        let connection = try link.connection(until: end)
        let rest = Int64(min(max((end - Clock.now) / 1_000_000, 1), 2_000))
        return .success(try body(connection, rest))
      } catch {
        last = error
        if let refusal = link.refusal { return .failure(refusal) }
        WriterThread.pause(milliseconds: 20)
      }
    } while Clock.now < end
    return .failure(
      AnnalsError(
        .unavailable,
        "the shared log '\(link.address.name.text)' did not \(wish) within the deadline: \(last); reads go on"
      ))
  }
}

/// The publisher that the answers of a link go to, which has the link itself; empty once the log is closed.
private final class AnswerTarget: Sendable {
  private let target: Mutex<Publisher?> = Mutex(nil)

  var publisher: Publisher? {
    get { target.withLock { $0 } }
    set { target.withLock { $0 = newValue } }
  }
}
