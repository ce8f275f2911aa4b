import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A program that was built with the tests, run with words and paths that need not be UTF-8.
struct SpawnedProgram {
  /// How it ended; 128 and the number of the signal where it was killed.
  let status: Int32
  let output: String
  let errors: String

  /// Where a built program is; `nil` where it was not built.
  static func path(_ name: String) -> String? {
    guard let tool = BuiltTool.path else { return nil }
    let path = URL(filePath: tool).deletingLastPathComponent().appendingPathComponent(name).path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  /// Runs the program and waits for its end.
  ///
  /// - Parameters:
  ///   - words: What follows its name.
  ///   - folder: The working directory.
  ///   - closed: The descriptors, 0 to 2, that are closed when it starts.
  ///   - home: The value of `HOME`.
  init(
    _ program: String, _ words: [[UInt8]], in folder: TemporaryFolder, closed: Set<Int32> = [],
    home: String = "/nonexistent"
  ) throws {
    let results = try TemporaryFolder()
    let files = [0: "/dev/null", 1: results.path("output"), 2: results.path("errors")] as [Int32: String]
    var actions = posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, path) in files.sorted(by: { $0.key < $1.key }) {
      if closed.contains(number) {
        unsafe posix_spawn_file_actions_addclose(&actions, number)
      } else {
        let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT
        unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
      }
    }
    unsafe posix_spawn_file_actions_addchdir_np(&actions, folder.url.path)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let child = try Self.lend([Array(program.utf8)] + words) { arguments in
      try Self.lend(["PATH=\(path)", "HOME=\(home)"].map { Array($0.utf8) }) { environment in
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, program, &actions, nil, arguments, environment)
        guard code == 0 else { throw POSIXError(.init(rawValue: code) ?? .EIO) }
        return child
      }
    }
    var state: Int32 = 0
    while unsafe waitpid(child, &state, 0) == -1 && errno == EINTR {}
    status = state & 0x7f == 0 ? state >> 8 & 0xff : 128 + state & 0x7f
    output = try Self.text(results.path("output"))
    errors = try Self.text(results.path("errors"))
  }

  /// Runs `annals`.
  static func annals(
    _ words: String..., in folder: TemporaryFolder, closed: Set<Int32> = []
  ) throws -> SpawnedProgram {
    try SpawnedProgram(BuiltTool.path ?? "", words.map { Array($0.utf8) }, in: folder, closed: closed)
  }

  private static func text(_ path: String) throws -> String {
    guard FileManager.default.fileExists(atPath: path) else { return "" }
    return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  /// Lends words to the system as it takes them.
  private static func lend<R>(
    _ words: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> R
  ) throws -> R {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { word in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
      for (index, byte) in word.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
      unsafe copy[word.count] = 0
      return unsafe copy
    }
    unsafe pointers.append(nil)
    defer { for pointer in unsafe pointers { unsafe pointer?.deallocate() } }
    return try unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { throw POSIXError(.EINVAL) }
      return try unsafe body(start)
    }
  }
}

extension TemporaryFolder {
  /// The bytes of the names in the folder, or in a folder of it.
  func names(in folder: String = "") throws -> Set<[UInt8]> {
    guard let stream = unsafe opendir(folder.isEmpty ? url.path : path(folder)) else {
      throw POSIXError(.ENOENT)
    }
    defer { unsafe closedir(stream) }
    var names: Set<[UInt8]> = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        let start = unsafe UnsafeRawPointer(field).assumingMemoryBound(to: UInt8.self)
        return unsafe Array(UnsafeBufferPointer(start: start, count: strlen(UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))))
      }
      if name != [0x2E] && name != [0x2E, 0x2E] { names.insert(name) }
    }
    return names
  }
}
