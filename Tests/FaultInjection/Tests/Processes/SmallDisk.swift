import FaultPrograms
import Foundation

/// A file system in memory with little room, which every process sees; it goes with the value.
final class SmallDisk: Sendable {
  /// The path of its root.
  let directory: URL

  /// Whether this process may have one.
  static let isPossible: Bool = {
    do {
      _ = try SmallDisk(bytes: 1 << 20)
      return true
    } catch {
      return false
    }
  }()

  init(bytes: Int) throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "annals-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    guard
      unsafe "size=\(bytes),mode=700".withCString({ unsafe mount("none", directory.path, "tmpfs", 0, $0) })
        == 0
    else {
      let failure = SystemFailure(call: "mount", errno: errno)
      try FileManager.default.removeItem(at: directory)
      throw failure
    }
  }

  deinit {
    // Lazily, because a store may still be closing.
    _ = unsafe umount2(directory.path, Int32(MNT_DETACH))
    // Files that remain in the system's folder for temporary files do no harm.
    try? FileManager.default.removeItem(at: directory)
  }

  private var ballast: String { directory.appendingPathComponent("ballast").path }

  /// Leaves no room.
  func fill() {
    let file = unsafe open(ballast, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(file) }
    let bytes = [UInt8](repeating: 1, count: 1 << 16)
    var count = bytes.count
    // In ever smaller pieces, until not a page is left.
    while count >= 4_096 {
      if unsafe write(file, bytes, count) < count { count /= 2 }
    }
  }

  /// Makes room again.
  func clear() throws { try FileManager.default.removeItem(atPath: ballast) }
}
