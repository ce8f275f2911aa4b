internal import AnnalsCoding
internal import Foundation
internal import LMDB

/// The connection to the broker, made when it is needed, and made again if the library has stopped trying.
///
/// All calls block, so they are made on own threads.
final class BrokerLink: Sendable {
  private struct State: Sendable {
    var connection: NATSConnection?
    /// The stream as it was when the connection was made.
    var facts: StreamFacts?
    /// Why the stream cannot keep the log, or the servers refuse this program, and since when.
    var refusal: AnnalsError?
    var refusedSince = 0
    var failure: NATSFailure?
    /// Whether the log was there once. A new one in its place would be another.
    var wasThere = false
    var isBusy = false
    var isClosed = false
  }

  let address: BrokerAddress
  /// Whether a stream that is missing is created.
  private let creates: Bool
  private let answered: AckRoutes.Receiver
  private let state = Monitor(State())

  /// - Parameters:
  ///   - address: The servers and the log.
  ///   - creates: Whether a missing log is created; `false` for a machine that has applied messages of it.
  ///   - answered: Called with the answer to each publish.
  init(_ address: BrokerAddress, creates: Bool, answered: @escaping AckRoutes.Receiver) {
    self.address = address
    self.creates = creates
    self.answered = answered
  }

  /// Why the broker's stream cannot keep this log, or why the servers refuse this program; `nil` if nothing
  /// is known against it. A log that was there is missing only once it has stayed so.
  var refusal: AnnalsError? {
    let mayPass = state.withLock { $0.wasThere && $0.refusal?.code == .noSuchStore }
    return mayPass ? lastingRefusal : state.withLock { $0.refusal }
  }
  /// The refusal, if it has been the same for longer than a change at the servers takes to arrive.
  var lastingRefusal: AnnalsError? {
    let now = Clock.now
    return state.withLock { now - $0.refusedSince >= FollowMachine.staleness ? $0.refusal : nil }
  }
  /// The stream as it was when the connection was made.
  var facts: StreamFacts? { state.withLock { $0.facts } }

  /// Returns a connection to servers that have the log.
  ///
  /// It was connected once, and may be without a server at the moment.
  ///
  /// - Parameter end: The time until which to wait.
  func connection(until end: Int) throws(NATSFailure) -> NATSConnection {
    let turn = state.wait(upTo: max(end - Clock.now, 1)) { state -> Result<NATSConnection?, NATSFailure>? in
      if state.isClosed { return .failure(NATSFailure(.passing, "the log is closed")) }
      if let connection = state.connection, state.facts != nil, !connection.isClosed {
        return .success(connection)
      }
      guard !state.isBusy else { return nil }
      state.isBusy = true
      return .success(nil)
    }
    guard let turn else { throw state.withLock { $0.failure } ?? NATSFailure(.passing, "no server answers") }
    if let connection = try turn.get() { return connection }
    defer {
      state.withLock { $0.isBusy = false }
      state.wake()
    }
    do throws(NATSFailure) {
      return try makeReady(until: end)
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  /// Forgets what is known of the stream, which the servers do not have: the next call looks again.
  func forgetStream() { state.withLock { $0.facts = nil } }

  /// Forgets the connection. It is closed when the last thread that uses it is done.
  func close() {
    let old = state.withLock { state in
      state.isClosed = true
      defer { state.connection = nil }
      return state.connection
    }
    state.wake()
    // Closing blocks, so it may not be done with the lock.
    _ = consume old
  }

  private func makeReady(until end: Int) throws(NATSFailure) -> NATSConnection {
    let connection = try connect()
    while !connection.isConnected {
      if connection.isClosed {
        throw refused(connection.lastFailure ?? NATSFailure(.passing, "the connection was closed"))
      }
      if let failure = connection.lastFailure, failure.kind == .refusedUser { throw refused(failure) }
      guard Clock.now < end else {
        throw connection.lastFailure ?? NATSFailure(.passing, "no server answers")
      }
      WriterThread.pause(milliseconds: 5)
    }
    let facts = try stream(connection, until: end)
    do throws(AnnalsError) { try StreamRules.check(facts, for: address.name) } catch {
      refuse(error)
      throw NATSFailure(.passing, error.message)
    }
    state.withLock { state in
      state.facts = facts
      state.wasThere = true
      state.refusal = nil
      state.failure = nil
    }
    return connection
  }

  private func connect() throws(NATSFailure) -> NATSConnection {
    let old = state.withLock { state in
      defer { if state.connection?.isClosed == true { state.connection = nil } }
      return state.connection
    }
    if let old, !old.isClosed { return old }
    let made: NATSConnection
    do throws(NATSFailure) { made = try NATSConnection(to: address, answered: answered) } catch {
      throw refused(error)
    }
    state.withLock { state in
      state.facts = nil
      if !state.isClosed { state.connection = made }
    }
    return made
  }

  private func stream(_ connection: NATSConnection, until end: Int) throws(NATSFailure) -> StreamFacts {
    func rest() -> Int64 { Int64(min(max((end - Clock.now) / 1_000_000, 100), 2_000)) }
    do throws(NATSFailure) { return try connection.stream(address.name, upTo: rest()) } catch {
      guard error.kind == .noStream else { throw error }
      guard creates, !state.withLock({ $0.wasThere }) else {
        let refusal = AnnalsError(
          .noSuchStore,
          "the servers have no log '\(address.name.text)', and this machine has used it; "
            + "restore the log at the servers, or begin a new cluster from a backup")
        refuse(refusal)
        throw NATSFailure(.noStream, refusal.message)
      }
      try connection.createStream(
        address.name, identity: UUID.random().uuidString, replicas: address.replicas)
      return try connection.stream(address.name, upTo: rest())
    }
  }

  private func refused(_ failure: NATSFailure) -> NATSFailure {
    if failure.kind == .refusedUser {
      let refusal = AnnalsError(
        .permission,
        "the servers of the shared log '\(address.name.text)' refuse this program: \(failure); check the "
          + "credentials and the certificates")
      refuse(refusal)
    }
    return failure
  }

  private func refuse(_ error: AnnalsError) {
    state.withLock { state in
      if state.refusal?.code != error.code { state.refusedSince = Clock.now }
      state.refusal = error
    }
  }
}
