import Foundation

/// The compiler of the toolchain that runs the tests, set up as a client of the library is compiled.
struct Compiler {
  /// What the compiler is asked to do with a source file.
  enum Work: String {
    case typecheck = "-typecheck"
    case compile = "-c"
  }

  /// What became of a source file.
  struct Outcome {
    let succeeded: Bool
    let output: String

    /// The errors alone, each as the line that names its place.
    var errors: [Substring] {
      output.split(separator: "\n").filter { line in
        // Lines that draw the source repeat the message after a bar.
        line.contains(": error: ") && line.first != " "
      }
    }
  }

  private let executable: URL
  private let arguments: [String]

  /// The compiler; `nil` if it, the built modules or the macros cannot be found.
  ///
  /// The modules are next to the running tests, in the build folder.
  static let found: Compiler? = {
    guard let build = Bundle.main.executableURL?.deletingLastPathComponent() else { return nil }
    let modules = build.appending(path: "Modules")
    let macros = build.appending(path: "AnnalsMacros-tool")
    let package = #filePath.components(separatedBy: "/Tests/").dropLast().joined(separator: "/Tests/")
    // The library's own C modules: clients need their maps, since the library is built from source with them.
    let maps = [
      build.appending(path: "CAnnals.build/module.modulemap").path,
      package + "/Sources/CLMDB/module.modulemap",
    ]
    guard let executable, isThere(modules.appending(path: "Annals.swiftmodule")), isThere(macros) else {
      return nil
    }
    let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    return Compiler(
      executable: executable,
      arguments: [
        "-swift-version", "6", "-module-name", "Snippet", "-parse-as-library", "-strict-memory-safety",
        "-warnings-as-errors", "-I", modules.path, "-load-plugin-executable", macros.path + "#AnnalsMacros",
      ] + features.flatMap { ["-enable-upcoming-feature", $0] }
        + maps.filter(FileManager.default.fileExists(atPath:)).flatMap {
          ["-Xcc", "-fmodule-map-file=" + $0]
        })
  }()

  /// `swiftc` of the toolchain whose standard library is loaded, or else the first one in the search path.
  private static let executable: URL? = {
    var folders: [URL] = []
    if let maps = FileHandle(forReadingAtPath: "/proc/self/maps").flatMap({ try? $0.readToEnd() }) {
      let library = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        .compactMap { $0.split(separator: " ").last }.first { $0.hasSuffix("/libswiftCore.so") }
      // usr/lib/swift/linux/libswiftCore.so is next to usr/bin.
      if let library {
        let components = URL(filePath: String(library)).pathComponents.dropLast(4)
        folders.append(URL(filePath: components.joined(separator: "/")).appending(path: "bin"))
      }
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    folders += path.split(separator: ":").map { URL(filePath: String($0)) }
    return folders.map { $0.appending(path: "swiftc") }.first(where: isThere)
  }()

  private static func isThere(_ file: URL) -> Bool {
    FileManager.default.fileExists(atPath: file.path)
  }

  /// Compiles `source` in a folder of its own, which is removed afterwards.
  func run(_ work: Work, options: [String] = [], _ source: String) throws -> Outcome {
    try run([work.rawValue] + options, [("Snippet.swift", source)])
  }

  /// Compiles `files` as one module, in their order, as a debug build does: each file alone, or in batches.
  func build(_ files: [(name: String, source: String)], inBatches: Bool) throws -> Outcome {
    try run(["-c", inBatches ? "-enable-batch-mode" : "-disable-batch-mode"], files)
  }

  private func run(_ options: [String], _ files: [(name: String, source: String)]) throws -> Outcome {
    let temporary = try TemporaryDirectory()
    let folder = temporary.url
    for (name, source) in files {
      try source.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    let process = Process()
    let pipe = Pipe()
    process.executableURL = executable
    process.currentDirectoryURL = folder
    process.arguments = options + arguments + files.map(\.name)
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      succeeded: process.terminationReason == .exit && process.terminationStatus == 0,
      output: String(decoding: output, as: UTF8.self))
  }
}
