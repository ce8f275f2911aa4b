internal import LMDB
import Synchronization

extension WaitingLine {
  /// Waits until the queue has space, after callers that have waited longer.
  ///
  /// - Parameter limit: The caller's maximum wait; only ``expire(by:)`` applies it.
  /// - Returns: The outcome, and the space, which is reserved until the value ends. End it when the element
  ///   joins.
  func enter(within limit: Duration) async -> Admission {
    let since = ContinuousClock.now
    guard isCrowded.load(ordering: .relaxed) else {
      return Admission(entry: .admitted, since: since, line: self, reserved: 0)
    }
    let ticket = CancellableTicket()
    let (entry, reserved) = await withTaskCancellationHandler {
      await withCheckedContinuation { (answer: CheckedContinuation<(Entry, Int), Never>) in
        guard let number = visit(Visitor(deadline: since + limit, caller: .task(answer))) else {
          return answer.resume(returning: (.admitted, 0))
        }
        if !ticket.set(number) { dismiss(number) }
      }
    } onCancel: {
      if let number = ticket.cancel() { dismiss(number) }
    }
    return Admission(entry: entry, since: since, line: self, reserved: reserved)
  }

  /// Waits as ``enter(within:)`` does, and blocks the calling thread meanwhile.
  func enterBlocking(within limit: Duration) -> Admission {
    let since = ContinuousClock.now
    let reply = Reply<(Entry, Int)>()
    guard isCrowded.load(ordering: .relaxed),
      visit(Visitor(deadline: since + limit, caller: .thread(reply))) != nil
    else { return Admission(entry: .admitted, since: since, line: self, reserved: 0) }
    let (entry, reserved) = reply.wait()
    return Admission(entry: entry, since: since, line: self, reserved: reserved)
  }

  /// Adds a caller to those that wait for space.
  ///
  /// - Returns: Its ticket; `nil` if there is space, or if it is a thread and the queue is empty.
  private func visit(_ visitor: Visitor) -> UInt64? {
    state.withLock { state in
      guard !hasRoom(state) || !state.visitors.isEmpty else { return nil }
      if visitor.isThread, state.elements.isEmpty { return nil }
      isCrowded.store(true, ordering: .relaxed)
      let ticket = state.visitors.append(visitor)
      if visitor.isThread { state.threads.append(ticket) }
      return ticket
    }
  }

  /// The number of callers that wait for space.
  var visitorCount: Int { state.withLock { $0.visitors.count } }

  private func dismiss(_ number: UInt64) {
    state.withLock { $0.visitors.remove(number) }?.caller.resume(returning: (.cancelled, 0))
  }

  func giveBack(_ reserved: Int) {
    if reserved > 0 { change { $0.reserved -= reserved } }
  }

  func hasRoom(_ state: State) -> Bool {
    let taken = state.elements.cost + state.reserved
    return taken == 0 || taken < room
  }

  /// Changes the queue, and admits the callers for which there is space then.
  func change<R>(_ body: (inout State) -> R) -> R {
    let (result, admitted) = state.withLock { state -> (R, [(Visitor, Int)]) in
      let result = body(&state)
      guard isCrowded.load(ordering: .relaxed) else { return (result, []) }
      var admitted: [(Visitor, Int)] = []
      while hasRoom(state), let visitor = state.visitors.popFirst() {
        // The cost of its element is not known yet.
        admitted.append((visitor, state.lastCost))
        state.reserved += state.lastCost
        // Its own ticket, or one of a thread that has left before it.
        if visitor.isThread { state.threads.removeFirst() }
      }
      // A task to which space is reserved may need any thread that waits here, such as the main one.
      if state.elements.isEmpty {
        for ticket in state.threads {
          if let thread = state.visitors.remove(ticket) { admitted.append((thread, 0)) }
        }
      }
      if state.elements.isEmpty || state.visitors.isEmpty { state.threads.removeAll() }
      if hasRoom(state) { isCrowded.store(false, ordering: .relaxed) }
      return (result, admitted)
    }
    for (visitor, reserved) in admitted { visitor.caller.resume(returning: (.admitted, reserved)) }
    return result
  }
}
