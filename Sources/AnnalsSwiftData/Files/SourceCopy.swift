internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A private copy of a SQLite file and of the files next to it, removed with this value.
///
/// SQLite writes next to each file that it opens in WAL mode. So it never opens the source: the file and its
/// `-wal` or `-journal` are read and copied, and nothing at the source is created, locked or changed.
///
/// `unsafe`: the system takes pointers, which live for a call.
final class SourceCopy {
  /// The suffixes of the files that belong to a database. The index `-shm` is left out: SQLite makes it
  /// again.
  private static let suffixes = ["", "-wal", "-journal"]
  /// How often a file that is being written is copied again.
  private static let attempts = 5
  /// The time between two copies in microseconds.
  private static let pause: UInt32 = 200_000

  /// The path of the copy.
  let path: String
  private let folder: String

  /// Copies the file at `path`.
  ///
  /// - Parameters:
  ///   - path: The bytes of the path of the source.
  ///   - name: The name of the source in messages.
  /// - Throws: ``AnnalsError`` with code `noSuchStore`, `notAStore` for a folder or device, `permission`,
  ///   `busy` if the file changes again and again, `diskFull` or `inputOutput`.
  /// - Complexity: O(bytes of the files), in time and in disk space.
  init(of path: [UInt8], name: String) throws(AnnalsError) {
    let parent = FileManager.default.temporaryDirectory.path
    folder = "\(parent)/annals-swiftdata-\(UUID().uuidString)"
    guard unsafe mkdir(folder, 0o700) == 0 else {
      throw FileFailure(errno).error("creating the folder '\(folder)'")
    }
    self.path = "\(folder)/copy"
    // An initialiser that throws from here on still runs deinit, as all properties have their values.
    try copy(path, name)
  }

  deinit {
    for suffix in Self.suffixes + ["-shm"] { unsafe unlink(self.path + suffix) }
    unsafe rmdir(folder)
  }

  private func copy(_ source: [UInt8], _ name: String) throws(AnnalsError) {
    for _ in 0..<Self.attempts {
      let before = try Self.marks(of: source, name)
      for (suffix, mark) in zip(Self.suffixes, before) {
        unsafe unlink(path + suffix)
        guard mark != nil else { continue }
        let input = try InputBytes(source + suffix.utf8, name + suffix)
        let output = unsafe open(path + suffix, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw FileFailure(errno).error("copying '\(name + suffix)'") }
        defer { close(output) }
        while let bytes = try input.next() { try OutputFile.writeAll(bytes, to: output, "copying '\(name)'") }
      }
      if try Self.marks(of: source, name) == before { return }
      // A save takes a moment.
      usleep(Self.pause)
    }
    throw AnnalsError(
      .busy, "'\(name)' changes while it is copied; quit the program that writes to it, and try again")
  }

  /// What shows that a file has been written to.
  private struct Mark: Equatable {
    let device: UInt64
    let number: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The mark of each file; `nil` for one that is not there.
  private static func marks(of source: [UInt8], _ name: String) throws(AnnalsError) -> [Mark?] {
    var marks: [Mark?] = []
    for suffix in suffixes {
      var status = stat()
      guard unsafe stat((source + suffix.utf8).ended, &status) == 0 else {
        guard errno == ENOENT || errno == ENOTDIR else { throw FileFailure(errno).error("opening '\(name)'") }
        if suffix.isEmpty { throw AnnalsError(.noSuchStore, "there is no file '\(name)'") }
        marks.append(nil)
        continue
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw AnnalsError(
          .notAStore, "'\(name + suffix)' is no file; name the SQLite file that the app's store is in")
      }
      marks.append(
        Mark(
          device: UInt64(status.st_dev), number: UInt64(status.st_ino), size: Int64(status.st_size),
          seconds: status.modified.tv_sec, nanoseconds: status.modified.tv_nsec))
    }
    return marks
  }
}

extension stat {
  /// The time of the last write.
  fileprivate var modified: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
