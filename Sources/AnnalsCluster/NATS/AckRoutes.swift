internal import CNATS
internal import Synchronization

/// The answer to a publish.
enum PublishAnswer: Equatable, Sendable {
  /// The broker has the message at a sequence, perhaps from an earlier try.
  case stored(UInt64)
  /// This try failed.
  case failed(NATSFailure)
}

/// The receivers of answers, by number.
///
/// The library calls back on its own threads, and may still do so while a connection is destroyed. So it gets
/// numbers instead of pointers: a number that is no longer there is ignored.
enum AckRoutes {
  typealias Receiver = @Sendable (_ id: String, PublishAnswer) -> Void

  private struct Routes {
    var next: UInt = 1
    var receivers: [UInt: Receiver] = [:]
  }

  private static let routes = Mutex(Routes())

  /// Adds a receiver and returns its number, which is never 0.
  static func add(_ receiver: @escaping Receiver) -> UInt {
    routes.withLock { routes in
      defer { routes.next += 1 }
      routes.receivers[routes.next] = receiver
      return routes.next
    }
  }

  /// Removes a receiver. A call that has begun may still reach it.
  static func remove(_ number: UInt) {
    routes.withLock { _ = $0.receivers.removeValue(forKey: number) }
  }

  /// Passes an answer to a receiver.
  static func answer(_ number: UInt, _ id: String, _ answer: PublishAnswer) {
    routes.withLock { $0.receivers[number] }?(id, answer)
  }

  /// What the library calls with the answer to a publish. It owns the message.
  static let handler: jsPubAckHandler = { _, message, ack, failure, route in
    defer { unsafe natsMsg_Destroy(message) }
    var text: UnsafePointer<CChar>?
    guard unsafe natsMsgHeader_Get(message, NATSConnection.idHeader, &text) == NATS_OK, let id = unsafe text
    else { return }
    let answer: PublishAnswer =
      if let ack = unsafe ack {
        unsafe .stored(ack.pointee.Sequence)
      } else if let failure = unsafe failure {
        unsafe .failed(
          NATSFailure(
            failure.pointee.Err, code: failure.pointee.ErrCode.rawValue,
            text: failure.pointee.ErrText.map { unsafe String(cString: $0) }))
      } else {
        .failed(NATSFailure(.passing, "no answer"))
      }
    unsafe Self.answer(UInt(bitPattern: route), String(cString: id), answer)
  }
}
