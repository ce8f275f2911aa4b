#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file that keeps a plan's lock.
struct LockFile {
  let url: URL

  /// The file's name, for messages.
  var name: String { url.lastPathComponent }

  /// What the file says; `nil` where there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` and the line where it is damaged, `needsNewer` where it is of a later form, `permission` or
  ///   `inputOutput` where it cannot be read.
  func read() throws(AnnalsError) -> PlanLock? {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
      return nil
    } catch {
      throw failure(error, "reading")
    }
    do throws(LockFailure) { return try LockParser.parse(Array(data)) } catch {
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
    do { try Data(lock.text.utf8).write(to: url, options: .atomic) } catch { throw failure(error, "writing") }
  }

  private func failure(_ error: any Error, _ work: String) -> AnnalsError {
    let code: AnnalsError.Code
    switch (error as? CocoaError)?.code {
    case .fileReadNoPermission?, .fileWriteNoPermission?, .fileWriteVolumeReadOnly?: code = .permission
    case .fileWriteOutOfSpace?: code = .diskFull
    default: code = .inputOutput
    }
    return AnnalsError(
      code, "\(work) the lock file '\(name)' failed",
      details: AnnalsError.Details { [name] in $0.file = name },
      underlying: error)
  }
}

extension LockFailure.Reason {
  /// Whether a later library wrote the file.
  fileprivate var isNewer: Bool {
    if case .newer = self { true } else { false }
  }
}
