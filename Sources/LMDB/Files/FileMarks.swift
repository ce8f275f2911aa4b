import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file by which processes show each other what they use: each of its numbers can be marked.
///
/// A mark is a shared lock on one byte, which the file need not have. All marks of a value take one
/// descriptor. They end with the process, or with the value.
package final class FileMarks: Sendable {
  package let directory: Directory
  private let file: File
  private let process = HomeProcess()

  /// Opens the file.
  ///
  /// - Parameter create: Whether to create the file (0600) if it is missing. If not, permission to read it is
  ///   enough.
  package init(_ name: String, in directory: Directory, create: Bool) throws(StoreFileError) {
    self.directory = directory
    file = try create ? Self.created(name, in: directory) : directory.open(name, .read)
  }

  private static func created(_ name: String, in directory: Directory) throws(StoreFileError) -> File {
    do { return try directory.open(name, .readWrite) } catch .missing {
      do { return try directory.create(name) } catch .alreadyThere {
        return try directory.open(name, .readWrite)
      }
    }
  }

  /// Marks a number.
  package func mark(_ number: UInt64) throws(StoreFileError) {
    // A child of a fork shares the open file, and so its parent's marks.
    if process.isLeft { throw .usedAfterFork }
    let descriptor = file.descriptor
    try system("fcntl", file.name) { lmdb_mark(descriptor, 1, Int64(number)) }
  }

  /// Removes the mark of a number.
  package func unmark(_ number: UInt64) {
    if process.isLeft { return }
    // The mark of a file that fails here ends with the file.
    _ = lmdb_mark(file.descriptor, 0, Int64(number))
  }

  /// Returns whether any other value, of this process or another, has marked a number of a range.
  package func isMarked(_ numbers: Range<UInt64>) throws(StoreFileError) -> Bool {
    let descriptor = file.descriptor
    return try system("fcntl", file.name) {
      lmdb_is_marked(descriptor, Int64(numbers.lowerBound), Int64(numbers.count))
    } == 1
  }
}
