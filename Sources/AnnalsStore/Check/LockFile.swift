internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The file that holds a plan's lock.
struct LockFile {
  let url: URL

  /// The file's name, for messages.
  var name: String { WholeFile(url).name }

  /// Reads the file; `nil` if there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` and the line of the damage, `needsNewer` for a later
  ///   format, `permission` or `inputOutput` if it cannot be read.
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

  /// Replaces the file with `lock`, completely or not at all.
  ///
  /// - Throws: As ``WholeFile/replace(with:)``.
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
