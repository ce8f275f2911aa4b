package import Annals

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file that is made new; an existing one is never replaced.
///
/// `unsafe`: the system takes pointers, which live for a call.
package enum OutputFile {
  /// Writes a file.
  ///
  /// - Parameters:
  ///   - path: The bytes of the path.
  ///   - name: The path in messages.
  /// - Throws: ``AnnalsError`` with code `cannotCreate` if there is something at the path or no folder for
  ///   it, `permission`, `diskFull` or `inputOutput`.
  package static func write(_ bytes: [UInt8], to path: [UInt8], _ name: String) throws(AnnalsError) {
    let descriptor = unsafe open(path.ended, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let failure = FileFailure(errno)
      guard [EEXIST, ENOENT, ENOTDIR].contains(failure.code) else {
        throw failure.error("creating '\(name)'")
      }
      throw AnnalsError(
        .cannotCreate,
        failure.code == EEXIST
          ? "there is already something at '\(name)'; remove it, or name another folder with -o"
          : "there is no folder for '\(name)'")
    }
    defer { close(descriptor) }
    try writeAll(bytes, to: descriptor, "writing '\(name)'")
  }

  /// Makes a folder, unless there is one.
  ///
  /// - Throws: ``AnnalsError`` with code `cannotCreate`, `permission`, `diskFull` or `inputOutput`.
  package static func makeFolder(_ path: [UInt8], _ name: String) throws(AnnalsError) {
    guard unsafe mkdir(path.ended, 0o777) != 0 else { return }
    let failure = FileFailure(errno)
    if failure.code == EEXIST, FileStatus.isFolder(path) { return }
    guard [EEXIST, ENOENT, ENOTDIR].contains(failure.code) else { throw failure.error("making '\(name)'") }
    throw AnnalsError(.cannotCreate, "the folder '\(name)' cannot be made here")
  }

  /// Writes all bytes to an open file.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ doing: String) throws(AnnalsError) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe systemWrite(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileFailure(errno).error(doing) }
      start += count
    }
  }
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, bytes, count)
}
