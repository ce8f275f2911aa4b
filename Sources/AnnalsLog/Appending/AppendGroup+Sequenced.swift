internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// Calls that a shared log has put in order.
extension AppendGroup {
  /// Decides a call of a shared log, and stores its events if it is accepted.
  ///
  /// The result depends on the call and the log before it alone. What a machine lacks is no reason to refuse
  /// the call, because others accept it: it ends the transaction.
  ///
  /// - Parameter time: The time that the shared log gave the call.
  mutating func run(
    _ call: AppendRequest, at time: Int64, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    if let missing = missingRule(of: call) { throw missing }
    let first = last + 1
    let answer = try run(call, in: &transaction)
    if case .failure(let error) = answer, !error.code.isVerdict { throw error }
    // For each call, so that the noted times do not depend on the size of a transaction.
    if last >= first { try noteTime(time, from: first, in: &transaction) }
    return answer
  }

  /// Returns the generation that an erasure records.
  ///
  /// The numbers of generations differ between the machines of a cluster, and entries must not. So an entry
  /// that comes from a shared log has no number, and the machine notes its own in a row.
  func erasingGeneration(
    of call: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> UInt64 {
    guard call.sharedTime != nil else { return generation.number }
    var number: [UInt8] = []
    number.append(varint: generation.number)
    try transaction.put(number, ClusterRow.name(erasedBy: Position(last + 1)), in: tables.meta)
    return ClusterRow.anyGeneration
  }
}
