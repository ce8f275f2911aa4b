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

  let log: any ReplicatedLog
  let call: PendingCall

  /// Publishes the call, and gives its caller an error where no verdict can come.
  func run() async {
    var isPossiblyStored = false
    while !call.isAnswered, !Task.isCancelled {
      let left = ContinuousClock.now.duration(to: call.deadline)
      if left <= .zero { break }
      do throws(AnnalsError) {
        _ = try await log.publish(call.message, id: call.id, within: min(left, Self.attempt))
        isPossiblyStored = true
        break
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
