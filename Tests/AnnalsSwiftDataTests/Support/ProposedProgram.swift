import AnnalsTestSupport
import Foundation

/// A program made of a proposed schema: it opens a store with the proposed plan, and prints every value.
struct ProposedProgram {
  /// The folder with the built modules, next to the running tests.
  private static let build = Bundle.main.executableURL?.deletingLastPathComponent()
  private static let modules = [
    "CAnnals", "LMDB", "AnnalsCoding", "AnnalsShapes", "AnnalsSchema", "AnnalsFormat", "AnnalsLog",
    "AnnalsVerify", "AnnalsStore", "AnnalsProjections",
    "AnnalsSubscriptions", "AnnalsAttachments", "AnnalsMigration", "AnnalsMaintenance", "Annals",
  ]

  /// Whether the compiler and the modules are there.
  static var isPossible: Bool {
    guard let build, compiler != nil else { return false }
    return FileManager.default.fileExists(atPath: build.appending(path: "Modules/Annals.swiftmodule").path)
      && !objects.isEmpty
  }

  private static let compiler: URL? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: "swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  private static let package = URL(
    filePath: URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/"))

  /// The compiled files of the library's modules. A build folder may also have those of removed sources.
  private static var objects: [String] {
    guard let build else { return [] }
    return modules.flatMap { module in
      let sources = package.appending(path: "Sources/\(module)").path
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: sources)) ?? []
      let folder = build.appending(path: "\(module).build").path
      return names.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }
        .map { "\(folder)/\($0.split(separator: "/").last ?? "").o" }
        .filter { FileManager.default.fileExists(atPath: $0) }
    }
  }

  /// The folder of the program.
  private let folder: TemporaryDirectory

  /// Compiles a schema as an app does, with every warning as an error.
  ///
  /// - Parameters:
  ///   - source: The proposed source file.
  ///   - plan: The name of its plan; `nil` to only compile it.
  init(_ source: String, plan: String?) throws {
    folder = try TemporaryDirectory()
    _ = try folder.file("Schema.swift", source)
    _ = try folder.file("main.swift", plan.map { Self.main.replacing("PLAN", with: $0) } ?? "")
    let build = try Self.requireValue(Self.build)
    let work =
      plan == nil
      ? ["-typecheck", "Schema.swift"]
      : ["Schema.swift", "main.swift", "-o", "program", "-llmdb"] + Self.objects
    let run = try Self.run(
      try Self.requireValue(Self.compiler),
      [
        "-swift-version", "6", "-module-name", "Proposed", "-strict-memory-safety", "-warnings-as-errors",
        "-package-name", "proposed", "-I", build.appending(path: "Modules").path, "-load-plugin-executable",
        build.appending(path: "AnnalsMacros-tool").path + "#AnnalsMacros", "-enable-upcoming-feature",
        "ExistentialAny", "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
        "MemberImportVisibility", "-Xcc",
        "-fmodule-map-file=" + build.appending(path: "CAnnals.build/module.modulemap").path, "-Xcc",
        "-fmodule-map-file=\(Self.package.path)/Sources/CLMDB/module.modulemap",
      ] + work, in: folder.url)
    guard run.status == 0 else { throw Failure(description: run.output) }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static func requireValue<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Failure(description: "no compiler or no built modules") }
    return value
  }

  /// Runs the program with a store, and returns its lines: the stream, the record, and each field with its
  /// value.
  func lines(_ store: URL) throws -> [String] {
    let run = try Self.run(folder.url.appending(path: "program"), [store.path], in: folder.url)
    guard run.status == 0 else { throw Failure(description: run.output) }
    return run.output.split(separator: "\n").map(String.init)
  }

  static func run(
    _ program: URL, _ words: [String], in folder: URL, path: String? = nil
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = words
    process.currentDirectoryURL = folder
    if let path { process.environment = ["PATH": path] }
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// Prints each value in the form of ``SQLiteConnection/literals(_:)``.
  private static let main = """
    import Annals
    import Foundation

    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    func text(_ value: Any, _ store: EventStore<PLAN>) throws -> String {
      switch value {
      case let value as Bool: value ? "1" : "0"
      case let value as Int: String(value)
      case let value as Double: "\\(value)"
      case let value as Date: "\\(value.timeIntervalSinceReferenceDate)"
      case let value as Decimal: "\\(value)"
      case let value as String: "'" + hex(value.utf8)
      case let value as Data: "x" + hex(value)
      case let value as UUID: "x" + hex(withUnsafeBytes(of: value.uuid) { Array($0) })
      case let value as [Int]: "[" + value.map(String.init).joined(separator: ",") + "]"
      case let value as Annals.Attachment: "x" + hex(try store.content(of: value))
      default:
        Mirror(reflecting: value).displayStyle == .optional
          ? try Mirror(reflecting: value).children.first.map { try text($0.value, store) } ?? "null" : "?\\(type(of: value))"
      }
    }
    let store = try EventStore(at: URL(filePath: CommandLine.arguments[1]), plan: PLAN.self)
    for try await entry in store.entries() {
      guard let record = Mirror(reflecting: entry.event).children.first else { continue }
      let fields = try Mirror(reflecting: record.value).children.map { "\\($0.label ?? "")=\\(try text($0.value, store))" }
      print(entry.stream, record.label ?? "", fields.joined(separator: " "))
    }
    """.replacing(
      "withUnsafeBytes(of: value.uuid) { Array($0) }",
      with: "unsafe withUnsafeBytes(of: value.uuid) { unsafe Array($0) }")
}
