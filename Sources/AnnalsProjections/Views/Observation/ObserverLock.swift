internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// The lock file by which the process that folds a projection knows whether any process observes it.
///
/// An observer holds it shared from before its first look at the journal. A batch that finds it free records
/// no single changes. If the batch checked before the observer came, it is recorded as a whole, so that the
/// observer reads the rows again.
struct ObserverLock: Sendable {
  /// The file; `nil` if it cannot be opened, in which case everything is recorded.
  private let lock: FileLock?

  /// Creates the lock for the process that folds.
  init(_ projection: String, in directory: Directory) {
    do throws(StoreFileError) {
      lock = try FileLock(Self.fileName(projection), in: directory, keepsOpen: false)
    } catch {
      lock = nil
    }
  }

  /// Whether the projection has, or may have, an observer.
  var isAnybody: Bool {
    guard let lock else { return true }
    do throws(StoreFileError) {
      guard let hold = try lock.tryLock(.exclusive) else { return true }
      _ = consume hold
      return false
    } catch {
      return true
    }
  }

  /// Returns the name of the file, which does not reveal the projection's name.
  static func fileName(_ projection: String) -> String {
    let digits = SHA256.hash(Array(projection.utf8)).prefix(8).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "observers-\(digits.joined()).lock"
  }
}

/// A mark that a projection is observed, held until this value ends.
final class ObserverMark: Sendable {
  private let hold: FileLock.Hold

  private init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }

  /// Marks a projection as observed.
  ///
  /// - Returns: `nil` if the file cannot be locked; each batch is then recorded as a whole.
  static func take(
    _ projection: String, in directory: Directory, _ access: StoreOptions.Access
  ) -> ObserverMark? {
    do throws(StoreFileError) {
      let lock = try ViewFile.lockFile(
        ObserverLock.fileName(projection), in: directory, access == .readWrite ? .readWrite : .readOnly)
      // The process that folds holds the lock for some microseconds at a time.
      for _ in 0..<1_000 {
        if let hold = try lock.tryLock(.shared) { return ObserverMark(hold) }
        WriterThread.pause(milliseconds: 1)
      }
    } catch {
      // Only the changes of single rows are lost.
    }
    return nil
  }
}
