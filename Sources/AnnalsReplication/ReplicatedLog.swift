package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A message of a replicated log, as every machine reads it.
package struct ReplicatedMessage: Sendable {
  /// The place of the message in the log, from 1 without gaps. A message that is missing was erased.
  package let sequence: UInt64
  /// The time that the log gave the message, in microseconds since 1970.
  package let time: Int64
  /// The content; empty if it was erased.
  package let bytes: [UInt8]

  package init(sequence: UInt64, time: Int64, bytes: [UInt8]) {
    self.sequence = sequence
    self.time = time
    self.bytes = bytes
  }
}

/// The log is not the one that was followed before: it has another message where one was delivered. A machine
/// that followed it further would differ from others.
package struct OtherLog: Error {
  package init() {}
}

/// A totally ordered log that all machines of a cluster share.
package protocol ReplicatedLog: Sendable {
  /// Adds a message and returns its sequence.
  ///
  /// The log may recognise an id that was added shortly before. Callers do not rely on that.
  ///
  /// - Throws: ``AnnalsError`` with code `unavailable` if the outcome is unknown, or if no quorum answers
  ///   within `limit`; another code if the log refused the message for good, such as `tooLarge`.
  func publish(_ bytes: [UInt8], id: UUID, within limit: Duration) async throws(AnnalsError) -> UInt64

  /// Adds a message as the other method does, and calls `receive` with the result on any thread. It does not
  /// block.
  func publish(
    _ bytes: [UInt8], id: UUID, within limit: Duration,
    _ receive: @escaping @Sendable (Result<UInt64, AnnalsError>) -> Void)

  /// Calls `receive` for messages after `sequence`, in order, in batches, until the task is cancelled or the
  /// log is closed. It resumes after reconnects.
  ///
  /// One thread at a time is in `receive`, which may block for long, and none is any more when this returns.
  ///
  /// - Parameters:
  ///   - sequence: The message after which to begin; 0 for all.
  ///   - pace: When to rest between two batches.
  ///   - receive: Takes a batch.
  /// - Throws: Any error of `receive`; an error with ``OtherLog`` as its cause.
  func follow(
    after sequence: UInt64, pace: FollowPace,
    _ receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
  ) async throws

  /// Returns the sequence of the last message; 0 for none.
  func last(within limit: Duration) async throws(AnnalsError) -> UInt64

  /// Removes the bytes of a message for good. Its sequence stays.
  func erase(_ sequence: UInt64) async throws(AnnalsError)

  /// Passes bytes to all machines that listen now, this one included. They are in no log, and may be lost.
  func announce(_ bytes: [UInt8]) async

  /// Calls `receive` for the bytes that any machine announces, until the task is cancelled.
  func announcements(_ receive: @escaping @Sendable ([UInt8]) async -> Void) async
}

extension ReplicatedLog {
  package func publish(
    _ bytes: [UInt8], id: UUID, within limit: Duration,
    _ receive: @escaping @Sendable (Result<UInt64, AnnalsError>) -> Void
  ) {
    Task(executorPreference: TaskThreads.shared) {
      do throws(AnnalsError) {
        receive(.success(try await publish(bytes, id: id, within: limit)))
      } catch {
        receive(.failure(error))
      }
    }
  }
}
