import History

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What one process did, in a file: each line with its time before it, written at once and by itself.
struct ProcessLog: ~Copyable {
  /// A file that cannot be written.
  struct Failure: Error, CustomStringConvertible {
    let path: String
    let errno: Int32

    var description: String { "cannot write '\(path)' (errno \(errno))" }
  }

  private let path: String
  private let descriptor: Int32

  /// Creates the file at `path`.
  init(creating path: String) throws(Failure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(path: path, errno: errno) }
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Writes a line in one call, without a buffer that a kill would take along.
  func write(_ line: HistoryLine, at time: UInt64) throws {
    var text = "\(time) \(try line.text())\n"
    let (count, length) = text.withUTF8 { bytes in
      #if canImport(Glibc)
        (unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count), bytes.count)
      #else
        (unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count), bytes.count)
      #endif
    }
    guard count == length else { throw Failure(path: path, errno: errno) }
  }

  /// The lines of the file at `path` with their times.
  ///
  /// A last line that a kill has cut off counts as never written.
  static func lines(of path: String) throws -> [(time: UInt64, line: HistoryLine)] {
    // The bytes after the last line break are not a line.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return try bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
      let text = String(decoding: $0, as: UTF8.self)
      guard let space = text.firstIndex(of: " "), let time = UInt64(text[..<space]) else {
        throw WrongWork(description: "'\(path)' has a line without a time")
      }
      return (time, try HistoryLine(text[text.index(after: space)...]))
    }
  }
}
