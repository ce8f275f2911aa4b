package import Annals

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file that is read from its beginning to its end; closed with this value.
///
/// `unsafe`: the system takes pointers, which live for a call.
package final class InputBytes {
  private static let chunk = 1 << 20
  #if os(Linux)
    /// `O_NOATIME`, which the platform's module does not have.
    private static let withoutAccessTime: Int32 = 0o1000000
  #endif
  private let descriptor: Int32
  private let name: String

  /// Opens the file at `path` for reading.
  ///
  /// - Parameters:
  ///   - path: The bytes of the path.
  ///   - name: The name of the file in messages.
  /// - Throws: ``AnnalsError`` with code `incomplete` if there is no such file, `permission` or
  ///   `inputOutput`.
  init(_ path: [UInt8], _ name: String) throws(AnnalsError) {
    #if os(Linux)
      // Reading would change the time of the last access. Only the owner of a file may ask not to.
      let unnoticed = unsafe open(path.ended, O_RDONLY | O_CLOEXEC | Self.withoutAccessTime)
      descriptor = unnoticed < 0 && errno == EPERM ? unsafe open(path.ended, O_RDONLY | O_CLOEXEC) : unnoticed
    #else
      descriptor = unsafe open(path.ended, O_RDONLY | O_CLOEXEC)
    #endif
    self.name = name
    guard descriptor >= 0 else {
      let failure = FileFailure(errno)
      if failure.code == ENOENT { throw AnnalsError(.incomplete, "the file '\(name)' is missing") }
      throw failure.error("opening '\(name)'")
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the next bytes, at most 1 MiB; `nil` at the end.
  func next() throws(AnnalsError) -> [UInt8]? {
    while true {
      var failure: Int32?
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, filled in
        let count = unsafe read(descriptor, buffer.baseAddress, Self.chunk)
        if count < 0 { failure = errno }
        filled = max(count, 0)
      }
      if failure == EINTR { continue }
      if let failure { throw FileFailure(failure).error("reading '\(name)'") }
      return bytes.isEmpty ? nil : bytes
    }
  }

  /// Returns all bytes of a file that has at most `limit`.
  package static func all(of path: [UInt8], _ name: String, limit: Int) throws(AnnalsError) -> [UInt8] {
    let input = try InputBytes(path, name)
    var bytes: [UInt8] = []
    while let more = try input.next() {
      bytes += more
      guard bytes.count <= limit else {
        throw AnnalsError(.tooLarge, "the file '\(name)' has more than \(limit) bytes")
      }
    }
    return bytes
  }
}

/// The error of a system call on a file.
struct FileFailure {
  let code: Int32

  init(_ code: Int32) {
    self.code = code
  }

  func error(_ doing: String) -> AnnalsError {
    let words = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "errno \(code)"
    let kind: AnnalsError.Code =
      switch code {
      case EACCES, EPERM: .permission
      case ENOSPC, EDQUOT, EFBIG: .diskFull
      default: .inputOutput
      }
    return AnnalsError(kind, "\(doing) failed: \(words)")
  }
}

extension [UInt8] {
  /// The bytes as a path for the system.
  var ended: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}
