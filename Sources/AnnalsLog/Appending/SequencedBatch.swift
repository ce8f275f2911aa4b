package import AnnalsCoding
package import AnnalsFormat
package import LMDB

/// A call that a shared log has put in order.
package enum SequencedCall: Sendable {
  /// A call of its own. It has a ``AppendRequest/sharedTime``.
  case whole(GroupCall)
  /// The plain call at an index of the batch's list.
  case plain(Int)

  /// The change of the log that is asked for in place of events; `nil` in an ordinary call.
  package var change: LogChange? {
    if case .whole(let call) = self { call.request.change } else { nil }
  }
}

/// Calls that a shared log has put in order, and the rows that record how far it is applied: one transaction.
package struct SequencedBatch: Sendable {
  /// The calls in the order of the shared log.
  package var calls: [SequencedCall]
  /// The plain calls among them, and perhaps others.
  package var plain: PlainCalls?
  /// The moment at which the commit counts. The shared log has the calls, so a commit that a power loss takes
  /// away comes again.
  package var durability: StoreOptions.Durability
  /// Whether the log belongs to a cluster afterwards.
  package var isShared: Bool
  /// Compares the state of the log with the one for which the batch was made. A throw ends the transaction.
  package var begin: @Sendable (StoreReader) throws(AnnalsError) -> Void
  /// Writes rows in the same transaction, after the verdict on every call is known.
  package var finish:
    @Sendable (inout WriteTransaction, StoreTables, SequencedAnswers) throws(AnnalsError) -> Void

  package init(
    _ calls: [SequencedCall] = [], plain: PlainCalls? = nil, _ durability: StoreOptions.Durability,
    isShared: Bool = true, begin: @escaping @Sendable (StoreReader) throws(AnnalsError) -> Void,
    finish:
      @escaping @Sendable (inout WriteTransaction, StoreTables, SequencedAnswers) throws(AnnalsError) -> Void
  ) {
    self.calls = calls
    self.plain = plain
    self.durability = durability
    self.isShared = isShared
    self.begin = begin
    self.finish = finish
  }

  /// Whether a power loss may take the commit away. Neither the batch nor any call may ask for more, also if
  /// there is no call.
  package var isRelaxed: Bool {
    guard durability == .relaxed else { return false }
    return calls.allSatisfy { call in
      if case .whole(let call) = call { call.durability == .relaxed } else { true }
    }
  }

  /// The calls of their own.
  var wholeCalls: [GroupCall] {
    calls.compactMap { if case .whole(let call) = $0 { call } else { nil } }
  }
}

extension AnnalsError.Code {
  /// Whether an error with this code is the verdict on a call, which is the same on every machine.
  ///
  /// Any other error is one of the machine: of its disk, its memory or its program.
  package var isVerdict: Bool {
    switch self {
    case .conflict, .rejected, .ruleFailed, .streamClosed, .noSuchStream, .streamMoved, .duplicateID,
      .partialDuplicate, .shapeChanged, .superseded, .tooLarge, .wrongUse, .invalidName, .malformed:
      true
    default: false
    }
  }
}
