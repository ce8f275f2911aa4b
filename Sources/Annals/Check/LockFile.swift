internal import AnnalsCoding
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file that keeps a plan's lock.
struct LockFile {
  let url: URL

  /// The file's name, for messages.
  var name: String { WholeFile(url).name }

  /// What the file says; `nil` where there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` and the line where it is damaged, `needsNewer` where it is of a later form, `permission` or
  ///   `inputOutput` where it cannot be read.
  func read() throws(AnnalsError) -> PlanLock? {
    guard let bytes = try WholeFile(url).read() else { return nil }
    do throws(LockFailure) { return try LockParser.parse(bytes) } catch {
      throw AnnalsError(
        error.reason.isNewer ? .needsNewer : .malformed,
        "line \(error.line) of '\(name)': \(error)\(error.reason.isNewer ? "" : "; take the file back from version control")",
        details: AnnalsError.Details { [name] in
          $0.line = error.line
          $0.file = name
        }, underlying: error)
    }
  }

  /// Puts `lock` into the place of the file, whole or not at all.
  ///
  /// - Throws: ``AnnalsError`` with code `permission`, `diskFull` or `inputOutput`.
  func write(_ lock: PlanLock) throws(AnnalsError) {
    try WholeFile(url).replace(with: Array(lock.text.utf8))
  }
}

extension LockFailure.Reason {
  /// Whether a later library wrote the file.
  fileprivate var isNewer: Bool {
    if case .newer = self { true } else { false }
  }
}
