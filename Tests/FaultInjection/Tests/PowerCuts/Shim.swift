import Foundation

/// A library between a program of the tests and the system. It is built from `Tests/FaultInjection/Shims` on
/// first use.
struct Shim: Sendable {
  /// The path of the library.
  let path: String

  /// Records the operations on files.
  static let recorder = Shim(building: "recorder")
  /// Makes system calls fail.
  static let failures = Shim(building: "failures")
  /// Refuses memory to liblmdb.
  static let memory = Shim(building: "memory")
  /// Adds flags to LMDB's environments.
  static let environment = Shim(building: "environment")
  /// Gives the run of the system another name.
  static let boot = Shim(building: "boot")

  /// Whether all of them can be built here, and the program of the tests exists to run with them.
  static let areUsable =
    [recorder, failures, memory, environment, boot].allSatisfy { $0 != nil } && SubjectProcess.program != nil
  /// The message of a skipped test that needs them.
  static let need = "needs Linux, cc or clang, and the program FaultTool beside the test bundle"

  private static let folder: URL? = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("annals-shims-\(getpid())")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      return nil
    }
    atexit { Shim.removeFolder() }
    return folder
  }()

  /// The compiler of the Swift toolchain, for systems that have none. It is found from the path of the loaded
  /// Swift library.
  private static let toolchainCompiler: String = {
    let library = "lib/swift/linux/libswiftCore.so"
    // Files under /proc report no size, so they are read to their end by hand.
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps").flatMap { try? $0.readToEnd() } ?? Data()
    let paths = String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap {
      $0.split(separator: " ").last
    }
    guard let path = paths.first(where: { $0.hasSuffix(library) }) else { return "clang" }
    return path.dropLast(library.count) + "bin/clang"
  }()

  /// The environment variables that name the run of the system to a process under ``boot``.
  ///
  /// - Parameter scratch: The directory of the file with the name. It must exist as long as the process.
  static func environment(ofBoot name: String, in scratch: TemporaryDirectory) throws -> [String: String] {
    let path = scratch.path("boot-" + name)
    try Data(name.utf8).write(to: URL(fileURLWithPath: path))
    return ["ANNALS_SHIM_BOOT": path]
  }

  private static func removeFolder() {
    // Files that remain in the system's folder for temporary files do no harm.
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  private init?(building name: String) {
    #if os(Linux)
      guard let folder = Self.folder else { return nil }
      let place = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      let source = place.deletingLastPathComponent().appendingPathComponent("Shims/\(name).c")
      let library = folder.appendingPathComponent("\(name).so")
      for compiler in ["cc", "clang", Self.toolchainCompiler] {
        let build = Process()
        build.executableURL = URL(filePath: "/usr/bin/env")
        build.arguments =
          [
            compiler, "-std=gnu11", "-O1", "-fPIC", "-shared", "-o", library.path, source.path, "-ldl",
            "-lpthread",
          ]
        build.standardError = FileHandle.nullDevice
        do { try build.run() } catch { continue }
        build.waitUntilExit()
        if build.terminationStatus == 0 {
          path = library.path
          return
        }
      }
    #endif
    return nil
  }
}
