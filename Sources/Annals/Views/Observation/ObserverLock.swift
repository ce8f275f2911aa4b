internal import AnnalsCoding
internal import LMDB

/// The lock file by which the process that folds a projection knows whether anybody observes it, in any process.
///
/// An observer holds it shared from before it looks at the journal for the first time. A batch that finds it free
/// notes no single changes. A batch that has looked before the observer came is noted as a whole, so that the
/// observer reads the rows again.
struct ObserverLock: Sendable {
  /// The file; `nil` where it cannot be opened, and then everything is noted.
  private let lock: FileLock?

  /// The lock as the process that folds uses it.
  init(_ projection: String, in directory: Directory) {
    do throws(StoreFileError) { lock = try FileLock(Self.fileName(projection), in: directory) } catch {
      lock = nil
    }
  }

  /// Whether anybody observes the projection, or may.
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

  /// The name of the file, which says nothing of the projection's name.
  static func fileName(_ projection: String) -> String {
    let digits = SHA256.hash(Array(projection.utf8)).prefix(8).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "observers-\(digits.joined()).lock"
  }
}

/// Proof that a projection is observed, until it ends.
final class ObserverMark: Sendable {
  private let hold: FileLock.Hold

  private init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }

  /// Marks a projection as observed.
  ///
  /// - Returns: `nil` where the file cannot be locked: then each batch is noted as a whole.
  static func take(
    _ projection: String, in directory: Directory, _ access: StoreOptions.Access
  ) -> ObserverMark? {
    do throws(StoreFileError) {
      let lock = try ViewFile.lockFile(
        ObserverLock.fileName(projection), in: directory, access == .readWrite ? .readWrite : .readOnly)
      // The process that folds has it for some microseconds at a time.
      for _ in 0..<1_000 {
        if let hold = try lock.tryLock(.shared) { return ObserverMark(hold) }
        WriterThread.pause(milliseconds: 1)
      }
    } catch {
      // Nothing is lost but the changes of single rows.
    }
    return nil
  }
}
