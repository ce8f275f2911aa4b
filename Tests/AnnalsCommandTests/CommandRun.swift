import Annals
import Foundation

@testable import AnnalsCommand

/// Output that is kept.
struct KeptOutput: ByteOutput {
  private(set) var bytes: [UInt8] = []
  /// The number of bytes after which it refuses more, and the error it then throws.
  var limit = Int.max
  var refusal = OutputError.closed

  mutating func write(_ more: [UInt8]) throws(OutputError) {
    bytes += more
    guard bytes.count <= limit else { throw refusal }
  }

  mutating func flush() throws(OutputError) {}

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The result of a command line.
struct CommandRun {
  let status: Int32
  let output: String
  let errors: String

  /// Runs the command for every store in this process.
  init(_ words: String..., limit: Int = .max, refusal: OutputError = .closed) async {
    await self.init(words, limit: limit, refusal: refusal)
  }

  /// Runs the command for the stores of `plan` in this process.
  init<Plan: SchemaMigrationPlan>(
    for plan: Plan.Type, _ words: String..., limit: Int = .max, refusal: OutputError = .closed
  ) async {
    await self.init(
      words, Command(name: "parks", verbs: MaintenanceCommand<Plan>.verbs), limit: limit, refusal: refusal)
  }

  init(
    _ words: [String], _ command: Command = Command(name: "annals", verbs: GenericCommand.verbs),
    limit: Int = .max, refusal: OutputError = .closed
  ) async {
    var output = KeptOutput(limit: limit, refusal: refusal)
    var errors = KeptOutput()
    status = await command.run(words.map { CommandWord($0) }, to: &output, errors: &errors)
    self.output = output.text
    self.errors = errors.text
  }

  /// The output without the end of its last line.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Every line of the output, read by Foundation.
  func objects() throws -> [[String: Any]] {
    try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
  }
}

extension TemporaryDirectory {
  /// The path of the test's store.
  var store: String { path("orders.annals") }

  /// Writes a file and gives its path.
  func write(_ name: String, _ text: String) throws -> String {
    try file(name, text).path
  }

  /// A store with five entries in two streams, made by an import.
  func filled() async throws -> String {
    let lines = (1...5).map {
      #"{"stream":"\#($0 % 2 == 0 ? "a/even" : "b odd")","type":"T","version":\#($0 % 2 + 1),"time":"2024-01-0\#($0)","data":{"n":\#($0)}}"#
    }
    let run = await CommandRun("import", store, try write("lines.jsonl", lines.joined(separator: "\n")))
    guard run.status == 0 else { throw CocoaError(.fileWriteUnknown) }
    return store
  }

  /// Every file of a folder but lock files, with its content, or the content of a file.
  static func content(_ path: String) throws -> [String: Data] {
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    guard type != .typeRegular else { return ["": try Data(contentsOf: URL(filePath: path))] }
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) where !name.hasSuffix("lock") {
      files[name] = try Data(contentsOf: URL(filePath: path).appendingPathComponent(name))
    }
    return files
  }
}
