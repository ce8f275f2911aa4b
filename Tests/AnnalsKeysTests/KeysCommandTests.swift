import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsCommand
@testable import AnnalsKeys

/// `annals-keys` as a process of its own, and `forget` in the command of a plan.
@Suite struct KeysCommandTests {
  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  private static let program = ToolProcess.program.map {
    $0.deletingLastPathComponent().appending(path: "annals-keys")
  }

  private func run(_ words: String...) throws -> (status: Int32, output: String) { try run(words) }

  private func run(_ words: [String]) throws -> (status: Int32, output: String) {
    let program: URL = try #require(Self.program)
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = words
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }

  private var store: String { customers.url.path }

  @Test func `forget drops the keys of a person, and records who asked and why`() async throws {
    do { try await customers.fill(customers.store()) }
    let run = try run("forget", store, "c1", "--by", "jane", "--because", "request 4711")
    #expect(run.status == 0)
    #expect(
      run.output
        == "the keys are dropped, which position 4 records; 'erasures' lists where results may remain\n")
    let opened = try customers.store()
    #expect(try Customers.names(opened) == ["nobody", "Ann"])
    #expect(try opened.log.erasures().map(\.author) == ["jane"])
    #expect(try opened.log.erasures().map(\.reason) == ["request 4711"])
    _ = consume opened
    let json = try self.run("forget", store, "c2", "--by", "jane", "--because", "request", "--json")
    #expect(json.output == "{\"forgotten\":true,\"recorded\":[\"5\"],\"hadKeys\":true}\n")
  }

  @Test func `forget of an id without keys says so`() async throws {
    do { try await customers.fill(customers.store()) }
    let run = try run("forget", store, "C1", "--by", "jane", "--because", "request")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("no stored event of 'C1' has keys, which position 4 records: "), "\(run)")
    let json = try self.run("forget", store, "C1", "--by", "jane", "--because", "request", "--json")
    #expect(json.output == "{\"forgotten\":true,\"recorded\":[\"5\"],\"hadKeys\":false}\n")
    #expect(try Customers.names(customers.store()) == [Customers.secret, "Ann"])
  }

  @Test func `rotate gives a new key, and prune removes those that no event needs`() async throws {
    do { try await customers.fill(customers.store()) }
    #expect(try run("rotate", store, "c1").output == "the person has a new key for new events\n")
    #expect(try run("rotate", store, "c1", "--json").output == "{\"rotated\":true}\n")
    let unknown = try run("rotate", store, "C1")
    #expect(unknown.status == 0)
    #expect(unknown.output.hasPrefix("no stored event of this id has a key, and none was made: "))
    #expect(try run("rotate", store, "C1", "--json").output == "{\"rotated\":false}\n")
    #expect(try run("prune", store).output == "1 key was removed\n")
    #expect(try run("prune", store, "--json").output == "{\"removed\":0}\n")
    do {
      let opened = try customers.store()
      let busy = try run("prune", store)
      #expect(busy.status == 75 && busy.output.hasPrefix("annals-keys: busy: "), "\(busy)")
      #expect(try Customers.names(opened) == [Customers.secret, "Ann"])
    }
  }

  @Test func `each failure has its exit status`() async throws {
    do { try await customers.fill(customers.store()) }
    for words in [
      ["forget", store, "c1"], ["forget", store, "c1", "--by", "jane"], ["rotate", store], ["what"], [],
    ] {
      let run = try run(words)
      #expect(run.status == 64, "\(words): \(run.output)")
    }
    #expect(try run("rotate", store + "x", "c1").status == 66)
    try FileManager.default.removeItem(at: customers.file)
    let lost = try run("forget", store, "c1", "--by", "jane", "--because", "request")
    #expect(lost.status == 65 && lost.output.contains("keyMissing"), "\(lost)")
    #expect(try run("--help").output.contains("prune"))
    #expect(try run("manual", "forget").output.contains("Forgets a person"))
    #expect(try run("completions", "bash").output.contains("rotate"))
  }

  @Test func `the command of a plan forgets also where inline projections are in force`() async throws {
    var options = StoreOptions()
    options.keys = SubjectKeys()
    options.activating = true
    do {
      let store = try EventStore(
        at: customers.url, plan: CustomerPlan.self, options: options, inline: [DroppedKeyTests.Names.self])
      try await customers.fill(store)
    }
    let refused = try run("forget", store, "c1", "--by", "jane", "--because", "request")
    #expect(refused.status != 0 && refused.output.contains("needsPlan"), "\(refused)")
    #expect(try Customers.names(customers.store()) == [Customers.secret, "Ann"])

    let command = MaintenanceCommand<CustomerPlan>.command(
      called: "shop", [], [DroppedKeyTests.Names.self])
    var (output, errors) = (Lines(), Lines())
    let words = ["forget", store, "c1", "--by", "jane", "--because", "request"].map { CommandWord($0) }
    let status = await StoreOptions.$keysOfProgram.withValue(KeysOfProgram { SubjectKeys() }) {
      await command.run(words, to: &output, errors: &errors)
    }
    #expect(status == 0, "\(errors.text)")
    #expect(output.text.hasPrefix("the keys are dropped"))
    #expect(try Customers.names(customers.store()) == ["nobody", "Ann"])
  }

  @Test func `verify of a plan checks a backup, which has no keys, and says what it does not compare`()
    async throws
  {
    var options = StoreOptions()
    options.keys = SubjectKeys()
    options.activating = true
    let names: [any InlineProjection<CustomersV1.Event>.Type] = [DroppedKeyTests.Names.self]
    let backup = customers.directory.url.appendingPathComponent("backup.annals")
    do {
      let store = try EventStore(at: customers.url, plan: CustomerPlan.self, options: options, inline: names)
      try await customers.fill(store)
      _ = try store.backup(to: backup)
    }
    let command = MaintenanceCommand<CustomerPlan>.command(called: "shop", [], names)
    func verify(_ more: String...) async -> (status: Int32, output: String) {
      var (output, errors) = (Lines(), Lines())
      let words = (["verify", backup.path] + more).map { CommandWord($0) }
      let status = await StoreOptions.$keysOfProgram.withValue(KeysOfProgram { SubjectKeys() }) {
        await command.run(words, to: &output, errors: &errors)
      }
      return (status, output.text + errors.text)
    }
    let sound = await verify()
    #expect(sound.status == 0)
    #expect(sound.output.hasPrefix("the rows of inline projections are not compared with the log: "))
    #expect(sound.output.contains("keys.mdb") && sound.output.hasSuffix(", nothing wrong\n"))
    let json = await verify("--json")
    #expect(json.status == 0 && json.output.contains("\"findings\":0"))
    #expect(json.output.contains("\"inlineNotCompared\":\"the store has encrypted fields"))
    // With the keys they are compared.
    let copy = backup.appendingPathComponent("keys.mdb")
    try FileManager.default.copyItem(at: customers.file, to: copy)
    #expect(await verify().output == "3 entries in 3 streams, nothing wrong\n")
    try FileManager.default.removeItem(at: copy)
    // What is wrong is still found.
    let file = backup.appendingPathComponent("log-000001.mdb")
    var bytes = try Data(contentsOf: file)
    let text = try #require(bytes.range(of: Data("home".utf8)))
    bytes[text.lowerBound] ^= 1
    try bytes.write(to: file)
    let damaged = await verify()
    #expect(damaged.status == 1 && damaged.output.contains("position 2: the checksum does not match"))
  }

  @Test func `the command of a plan without keys says what it lacks`() async throws {
    do { try await customers.fill(customers.store()) }
    let command = MaintenanceCommand<CustomerPlan>.command(called: "shop")
    var (output, errors) = (Lines(), Lines())
    let words = ["forget", store, "c1", "--by", "jane", "--because", "request"].map { CommandWord($0) }
    let status = await command.run(words, to: &output, errors: &errors)
    #expect(status == 65 && errors.text.contains("keyMissing"))
  }
}

/// Output that is kept.
private struct Lines: ByteOutput {
  var bytes: [UInt8] = []
  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func write(_ more: [UInt8]) throws(OutputError) { bytes += more }
  mutating func flush() throws(OutputError) {}
}
