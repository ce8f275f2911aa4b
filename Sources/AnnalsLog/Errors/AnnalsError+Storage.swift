package import AnnalsCoding
package import LMDB

extension AnnalsError {
  /// Converts a failure of the storage below to an error for the caller.
  package init(_ failure: EnvironmentError) {
    switch failure {
    case .file(let error):
      self.init(error)
    case .lmdb(let error) where error.isDiskFull:
      self.init(
        .diskFull, "the disk has no room; nothing was written; free some space and try again", failure)
    case .lmdb(let error) where error.code == LMDBError.mapFull,
      .notCommitted(let error) where error.code == LMDBError.mapFull:
      self.init(
        .diskFull,
        "the log has outgrown this process's share of address space; raise the limit (ulimit -v) or keep fewer stores open, and open it again",
        failure)
    case .lmdb(let error) where error.code == LMDBError.mapResized:
      self.init(
        .busy,
        "other processes have let the log outgrow this process's map, and reads that are under way keep it from a larger one; end them and try again",
        failure)
    case .lmdb(let error) where error.isAccessDenied:
      self.init(.permission, "the system refused access to the log's file (\(error))", failure)
    case .lmdb(let error) where error.code == LMDBError.panic:
      self.init(
        .outcomeUnknown,
        "the last step of an earlier write failed; let go of every value of this store in this process, then open it again and look",
        failure)
    case .lmdb(let error) where error.isDamage:
      self.init(.damaged, "LMDB found the log's file damaged (\(error)); run 'annals verify'", failure)
    case .lmdb(let error):
      self.init(.inputOutput, "LMDB failed (\(error)); nothing was written", failure)
    case .notCommitted(let error) where error.isDiskFull:
      self.init(
        .diskFull, "the disk has no room; nothing was written; free some space and try again", failure)
    case .notCommitted(let error):
      self.init(.notCommitted, "the write failed and nothing of it was kept (\(error)); try again", failure)
    case .panicked(let error):
      self.init(
        .outcomeUnknown,
        "the last step of a write failed (\(error)), so it may or may not be kept; let go of every value of this store in this process, then open it again and look",
        failure)
    case .unconfirmed(let error):
      self.init(
        .outcomeUnknown,
        "a file of the store was removed or replaced during a write (\(AnnalsError(error).message)), so the write may or may not be kept; stop all processes that use the store, then open it again and look",
        failure)
    case .tooManyReaders(let maximum):
      self.init(
        .tooManyReaders, "all \(maximum) places for readers are taken by live processes; end some of them",
        failure)
    case .readOnly:
      self.init(.readOnly, "the store was opened for reading only; open it with access .readWrite", failure)
    case .openedOtherwise(let file):
      self.init(
        .busy, "this process has '\(file)' open with other options; release that store first", failure,
        file: file)
    case .unsafeLibrary(let version):
      self.init(
        .inputOutput,
        "liblmdb \(version) may destroy locks that other processes hold; install 0.9.32 or later, or 0.9.25 or earlier",
        failure)
    case .orderBroken(let table, let key):
      self.init(
        .damaged, "table '\(table)' holds keys beyond \(key), its last one; run 'annals verify'", failure,
        table: table)
    case .wrongTransactionID(let expected, let found):
      self.init(
        .lockFileDamaged,
        "another writer was let in (transaction \(found) in place of \(expected)); stop all processes that use the store, then open it again",
        failure)
    case .keySize, .keyKind, .valueSize:
      self.init(.wrongUse, "a key or value does not fit its table (\(failure))", failure)
    }
  }

  private init(
    _ code: Code, _ message: String, _ underlying: any Error, file: String? = nil, table: String? = nil
  ) {
    var details = Details()
    details.file = file
    details.table = table
    self.init(code, message, details: details, underlying: underlying)
  }

  /// Converts a failure of a store's file to an error for the caller.
  package init(_ failure: StoreFileError) {
    switch failure {
    case .missing(let file):
      self.init(
        .incomplete, "the store's file '\(file)' is missing; restore it from a backup", failure, file: file)
    case .alreadyThere(let file):
      self.init(.cannotCreate, "'\(file)' is there already; nothing was replaced", failure, file: file)
    case .notRegular(let file), .notDirectory(let file):
      self.init(
        .notAStore, "'\(file)' is not the kind of file that a store has (a symbolic link is never followed)",
        failure, file: file)
    case .linked(let file, let links):
      self.init(
        .permission, "'\(file)' has \(links) names, so that it can be reached from outside the store",
        failure,
        file: file)
    case .wrongOwner(let file, let owner):
      self.init(
        .permission,
        "\(Self.name(file)) belongs to user \(owner); it must belong to the user of this process or to root",
        failure, file: file)
    case .openToAll(let file):
      self.init(
        .permission,
        "everybody may write in the store's directory and exchange its files; take that permission away (chmod o-w)",
        failure, file: file)
    case .networkFileSystem(let file, let kind):
      self.init(
        .inputOutput,
        "'\(file)' lies on \(kind), where locks cannot be trusted; move the store to a local disk",
        failure, file: file)
    case .truncated(let file, let have, let need):
      self.init(
        .damaged, "'\(file)' has \(have) bytes and needs \(need); restore it from a backup", failure,
        file: file)
    case .tooLarge(let file, let size, let limit):
      self.init(
        .notAStore, "'\(file)' has \(size) bytes where at most \(limit) are expected", failure, file: file)
    case .notLMDB(let file, let reason):
      self.init(
        .notAStore, "'\(file)' is no LMDB file of this kind of machine: \(reason)", failure, file: file)
    case .damaged(let file, let reason, let offset):
      self.init(
        .damaged, "'\(file)' is damaged at byte \(offset): \(reason); run 'annals verify'", failure,
        file: file)
    case .replaced(let file):
      self.init(
        .storeReplaced,
        "'\(file)' was replaced or removed while it was open; release every value of the store in this process, then open it again",
        failure, file: file)
    case .lockFileDamaged(let file):
      self.init(
        .lockFileDamaged,
        "the lock file '\(file)' was removed or overwritten while it was open; stop all processes that use the store, then open it again",
        failure, file: file)
    case .sameProcessNumber(let file, let process):
      self.init(
        .busy,
        "a process of another PID namespace, such as another container's, has '\(file)' open and the same process number as this one, \(process), so that LMDB cannot tell their readers apart; let both share a PID namespace (docker run --pid=container:NAME, or shareProcessNamespace of a Kubernetes pod), or open the store in one of them only: end the other process, then try again",
        failure, file: file)
    case .usedAfterFork:
      self.init(
        .usedAfterFork,
        "the store was opened before this process was forked off; open it in a program that is started, or before any fork",
        failure)
    case .permission(let file, _) where failure.isOfReadOnlyMount:
      self.init(
        .readOnly,
        "'\(file)' cannot be written, because the file system is mounted read-only; mount it for writing",
        failure, file: file)
    case .permission(let file, _):
      self.init(.permission, "no access to \(Self.name(file)): \(failure.reason ?? "")", failure, file: file)
    case .diskFull(let call, let file, _):
      self.init(
        .diskFull, "the disk has no room for '\(file)' (\(call)); free some space and try again", failure,
        file: file)
    case .system(let call, let file, _):
      self.init(.inputOutput, "\(call) of \(Self.name(file)): \(failure.reason ?? "")", failure, file: file)
    }
  }

  private static func name(_ file: String) -> String { file == "." ? "the store's directory" : "'\(file)'" }
}

/// Runs `body`, converting its file errors to errors for the caller.
package func files<R: ~Copyable>(_ body: () throws(StoreFileError) -> R) throws(AnnalsError) -> R {
  do { return try body() } catch { throw AnnalsError(error) }
}

/// Runs `body`, converting its storage errors to errors for the caller.
package func storage<R: ~Copyable>(_ body: () throws(EnvironmentError) -> R) throws(AnnalsError) -> R {
  do { return try body() } catch { throw AnnalsError(error) }
}
