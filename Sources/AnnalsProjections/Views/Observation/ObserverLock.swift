internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// The file `observers.lock`, by which the process that folds a projection knows whether any process observes
/// it.
///
/// An observer marks the projection from before its first look at the journal. A batch that finds no mark
/// records no single changes. If the batch checked before the observer came, it is recorded as a whole, so
/// that the observer reads the rows again.
struct ObserverLock: Sendable {
  static let fileName = "observers.lock"

  /// The numbers of the projection's marks in the file.
  let numbers: Range<UInt64>
  private let directory: Directory

  init(_ projection: String, in directory: Directory) {
    // Projections that share numbers only record more changes than needed.
    let hash = SHA256.hash(Array(projection.utf8)).prefix(4).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let first = (hash & 0x7FFF_FFFE) << 32
    numbers = first..<(first + 1 << 32)
    self.directory = directory
  }

  /// Opens the file of marks. A reader only needs permission to read it.
  static func marks(in directory: Directory, _ access: StoreOptions.Access) -> FileMarks? {
    do throws(StoreFileError) {
      do throws(StoreFileError) {
        return try FileMarks(fileName, in: directory, create: access == .readWrite)
      } catch .missing {
        return try FileMarks(fileName, in: directory, create: true)
      }
    } catch {
      // Only the changes of single rows are lost.
      return nil
    }
  }

  /// Whether the projection has, or may have, an observer.
  ///
  /// The file is not kept open. If it cannot be opened, everything is recorded.
  var isAnybody: Bool {
    do throws(StoreFileError) {
      return try FileMarks(Self.fileName, in: directory, create: false).isMarked(numbers)
    } catch .missing {
      return false
    } catch {
      return true
    }
  }
}

/// The mark that a projection is observed, held until this value ends.
final class ObserverMark: Sendable {
  private let marks: FileMarks
  private let number: UInt64

  /// Marks a projection as observed.
  ///
  /// - Parameters:
  ///   - marks: The open file, which all observers of a registry share.
  ///   - observer: A number that no other observer of the file has.
  /// - Returns: `nil` if the file cannot be marked; each batch is then recorded as a whole.
  init?(_ projection: String, in marks: FileMarks, observer: Int) {
    let numbers = ObserverLock(projection, in: marks.directory).numbers
    number = numbers.lowerBound + UInt64(UInt32(truncatingIfNeeded: observer))
    self.marks = marks
    do throws(StoreFileError) { try marks.mark(number) } catch { return nil }
  }

  deinit { marks.unmark(number) }
}

extension ViewRegistry {
  /// Marks a projection as observed by this process.
  ///
  /// - Returns: `nil` if there are no files of views, or they cannot be marked.
  func observe(_ projection: String) throws(AnnalsError) -> ObserverMark? {
    guard let directory = try directory()?.directory else { return nil }
    // All observers share one open file, unless the directory was replaced.
    if let known = desk.withLock({ $0.marks }), known.directory === directory {
      return ObserverMark(projection, in: known, observer: desk.withLock { $0.number() })
    }
    guard let marks = ObserverLock.marks(in: directory, access) else { return nil }
    desk.withLock { $0.marks = marks }
    return ObserverMark(projection, in: marks, observer: desk.withLock { $0.number() })
  }
}
