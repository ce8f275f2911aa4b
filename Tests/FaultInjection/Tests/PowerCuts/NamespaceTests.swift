import FaultPrograms
import Foundation
import Testing

/// Processes that have the same number, as the first processes of containers have.
@Suite(.serialized, .enabled(if: PIDNamespace.isUsable, "\(PIDNamespace.need)")) struct NamespaceTests {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
  }

  @Test func `a process with a number used in another namespace gets an error, and others open the store`()
    throws
  {
    let root = try scratch.directory("shared")
    let holder = try PIDNamespace.hold(root, in: scratch)
    let refused = try PIDNamespace.run(["churn", root.path, "1"])
    #expect(refused.end == .exit(1))
    #expect(refused.errors.contains("PID namespace") && refused.errors.contains("busy"), "\(refused.errors)")
    // The program is process 1 there. The error says so, and how to resolve it.
    #expect(refused.errors.contains("the same process number as this one, 1,"), "\(refused.errors)")
    #expect(refused.errors.contains("share a PID namespace (docker run --pid="), "\(refused.errors)")
    #expect(refused.errors.contains("open the store in one of them only"), "\(refused.errors)")
    // With a number of its own it reads and writes alongside.
    #expect(try SubjectProcess.run(["churn", root.path, "10"]).end == .exit(0))
    PIDNamespace.end(holder)
    #expect(try PIDNamespace.churn(root, commits: 1))
  }

  @Test func `the slot of a killed reader is freed by the next process of its number`() throws {
    let reference = try scratch.directory("reference")
    try #require(try PIDNamespace.churn(reference, commits: 600))
    let root = try scratch.directory("killed")
    try #require(try PIDNamespace.churn(root, commits: 1))
    PIDNamespace.end(try PIDNamespace.hold(root, in: scratch))
    try #require(try PIDNamespace.churn(root, commits: 600))
    let (alone, after) = (try PIDNamespace.bytes(reference), try PIDNamespace.bytes(root))
    print("namespaces: \(after) bytes after a killed reader of the same number, \(alone) without")
    #expect(after < 2 * alone)
  }
}

/// PID namespaces, each with a program of the tests as process 1.
private enum PIDNamespace {
  private static let command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]

  static let need = "needs unshare(1) with the right to make PID namespaces, and the program FaultTool"
  static let isUsable: Bool = {
    guard SubjectProcess.program != nil else { return false }
    let probe = Process()
    probe.executableURL = URL(filePath: "/usr/bin/env")
    probe.arguments = command + ["true"]
    probe.standardError = FileHandle.nullDevice
    do { try probe.run() } catch { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()

  /// Runs the program to its end.
  static func run(_ arguments: [String]) throws -> (end: SubjectProcess.End, errors: String) {
    try SubjectProcess.run(arguments, inside: command)
  }

  /// Appends to the store in a directory, as soon as no process that was killed has it open any more.
  ///
  /// - Returns: Whether all was appended.
  static func churn(_ root: URL, commits: Int) throws -> Bool {
    for _ in 0..<200 {
      let run = try run(["churn", root.path, "\(commits)"])
      if run.end == .exit(0) { return true }
      guard run.errors.contains("PID namespace") else {
        Issue.record("\(run.errors)")
        return false
      }
      usleep(10_000)
    }
    return false
  }

  /// Starts a process that keeps a snapshot.
  static func hold(_ root: URL, in scratch: TemporaryDirectory) throws -> Process {
    let ready = scratch.path("ready-\(root.lastPathComponent)")
    let process = try SubjectProcess.prepared(["hold", root.path, ready], inside: command)
    try process.run()
    for _ in 0..<60_000 where !FileManager.default.fileExists(atPath: ready) && process.isRunning {
      usleep(1000)
    }
    try #require(FileManager.default.fileExists(atPath: ready))
    return process
  }

  /// Kills a process and all of its namespace.
  static func end(_ process: Process) {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The length of the log's file.
  static func bytes(_ root: URL) throws -> Int {
    let file = root.appendingPathComponent(Examination.name).appendingPathComponent("log-000001.mdb")
    return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
  }
}
