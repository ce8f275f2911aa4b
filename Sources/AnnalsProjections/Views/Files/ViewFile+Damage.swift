internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB
import Synchronization

// Damage that is found while the file is used.
extension ViewFile {
  /// Converts a failure of LMDB, which knows no view, to an error for the caller.
  func failure(_ failure: EnvironmentError) -> AnnalsError {
    let error = AnnalsError(failure)
    guard error.code == .damaged else { return error }
    if case .lmdb(let cause) = failure { return damage("\(cause)", in: nil, failure) }
    return damage(error.message, in: nil, failure)
  }

  /// Names the view in an error that began as a failure of LMDB.
  func named(_ error: AnnalsError) -> AnnalsError {
    guard error.details.file == nil, let cause = error.underlying as? EnvironmentError else { return error }
    return failure(cause)
  }

  /// Returns the error for damage, which also has the view built again (``ViewRegistry/settle(_:_:)``).
  ///
  /// - Parameter table: The table with the damage; `nil` if it is not known.
  func damage(_ problem: String, in table: Table?, _ underlying: (any Error)? = nil) -> AnnalsError {
    isSpoilt.store(true, ordering: .relaxed)
    let file = Self.stem(number) + ".mdb"
    let advice =
      environment.access == .readWrite
      ? "the view is built again: wait with waitUntilBuilt(), then read again"
      : "open the view for writing, which builds it again, or call EventStore.rebuild(_:)"
    return AnnalsError(
      .damaged, "the view '\(name)': its file '\(file)' is damaged (\(problem)); \(advice)",
      details: AnnalsError.Details {
        $0.file = file
        $0.table = table?.definition.name
      }, underlying: underlying)
  }
}

extension ViewFile? {
  /// Converts a failure of LMDB to an error for the caller; `nil` is the log's file.
  func failure(_ failure: EnvironmentError) -> AnnalsError { self?.failure(failure) ?? AnnalsError(failure) }
}
