import Foundation

/// A library that stands between a program of the tests and the system, built from `Tests/FaultInjection/Shims` when it is first used.
struct Shim: Sendable {
  /// Where the library is.
  let path: String

  /// Records what is done to files.
  static let recorder = Shim(building: "recorder")
  /// Makes system calls fail.
  static let failures = Shim(building: "failures")
  /// Refuses memory to liblmdb.
  static let memory = Shim(building: "memory")
  /// Adds flags to LMDB's environments.
  static let environment = Shim(building: "environment")
  /// Gives the run of the system another name.
  static let boot = Shim(building: "boot")

  /// Whether all of them can be built here, and the program of the tests is there to be run with them.
  static let areUsable =
    [recorder, failures, memory, environment, boot].allSatisfy { $0 != nil } && SubjectProcess.program != nil
  /// What a test that needs them says where they cannot be had.
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

  /// The compiler that the toolchain of Swift brings, where the system has none: found from where its library is loaded from.
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

  /// What tells a process under ``boot`` which run of the system it is to believe in.
  ///
  /// - Parameter scratch: Where that is written; it stays as long as the process.
  static func environment(ofBoot name: String, in scratch: TemporaryDirectory) throws -> [String: String] {
    let path = scratch.path("boot-" + name)
    try Data(name.utf8).write(to: URL(fileURLWithPath: path))
    return ["ANNALS_SHIM_BOOT": path]
  }

  private static func removeFolder() {
    // What is left behind in the system's own folder for temporary files harms nobody.
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
