internal import AnnalsCoding

/// Publishes a call until the log has it, or until its caller stops to wait.
///
/// An attempt without an answer is repeated with the same bytes and the same id. Copies are recognised when
/// they are applied, so the caller gets the verdict on the first one.
struct Publishing {
  /// The longest time for one attempt.
  private static let attempt = Duration.seconds(2)
  /// The rest between two attempts.
  private static let rest = Duration.milliseconds(50)
  /// The time between two looks at what this machine has applied.
  private static let look = Duration.milliseconds(100)

  let log: any ReplicatedLog
  let call: PendingCall
  /// Returns the sequence of the last message that this machine has applied; `nil` once it follows no more.
  let applied: @Sendable () -> UInt64?

  /// Publishes the call, and gives its caller an error where no verdict can come.
  func run() async {
    var isPossiblyStored = false
    while !call.isAnswered, !Task.isCancelled {
      let left = ContinuousClock.now.duration(to: call.deadline)
      if left <= .zero { break }
      do throws(AnnalsError) {
        let sequence = try await log.publish(call.message, id: call.id, within: min(left, Self.attempt))
        isPossiblyStored = true
        guard await isReplaced(sequence) else { break }
      } catch {
        guard error.code == .unavailable else {
          // An earlier attempt may have got through all the same.
          if !isPossiblyStored { return call.answer(.failure(error)) }
          break
        }
        isPossiblyStored = true
      }
      do { try await Task.sleep(for: Self.rest) } catch { return }
    }
    do { try await Task.sleep(until: call.deadline, clock: .continuous) } catch { return }
    call.answer(.failure(AnnalsError.noVerdict))
  }

  /// Whether the log has lost the message that it acknowledged at a sequence: this machine has applied the
  /// one at that sequence, and it was another.
  ///
  /// - Returns: `false` once the caller has its verdict, or waits no more.
  private func isReplaced(_ sequence: UInt64) async -> Bool {
    var wasApplied = false
    while !call.isAnswered, ContinuousClock.now < call.deadline {
      do { try await Task.sleep(for: Self.look) } catch { return false }
      guard let applied = applied() else { return false }
      // The verdict comes a little after the message is applied.
      if wasApplied, !call.isAnswered { return true }
      wasApplied = applied >= sequence
    }
    return false
  }
}

extension AnnalsError {
  /// The error for a call whose verdict did not come in time.
  static var noVerdict: AnnalsError {
    AnnalsError(
      .unavailable,
      "the cluster's log gave no verdict on the call before its deadline, so it may be stored or not: try again with the same event ids, or read the stream first; without a quorum of the log's servers nothing can be appended"
    )
  }
}
