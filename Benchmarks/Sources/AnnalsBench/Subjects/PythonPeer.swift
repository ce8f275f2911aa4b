#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The Python library `eventsourcing` on SQLite, through its recorder.
///
/// The program `Benchmarks/Peers/eventsourcing_peer.py` gets its work in files and times its own calls. So
/// its figures include neither the start of Python nor the making of events.
struct PythonPeer: Sendable {
  static let name = "eventsourcing"
  /// The variable that names the interpreter, if it is another than `python3`.
  static let variable = "ANNALS_BENCH_PYTHON"

  private static let path = "Benchmarks/Peers/eventsourcing_peer.py"
  private static let database = "bench.sqlite"

  /// What the program prints.
  private struct Figures: Decodable {
    let entries: Int
    let seconds: Double
    /// In microseconds.
    let latencies: [Double]
  }

  /// Writes events for the program: for each, the number of its stream (four bytes, little-endian) and its
  /// payload.
  static func write(_ events: RoundRobin, _ count: Int, to file: URL) throws {
    var events = events
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * (4 + SampleEvent.payloadBytes))
    for _ in 0..<count {
      for event in events.batch(of: 1) {
        append(UInt32(event.stream), to: &bytes)
        bytes += event.payload
      }
    }
    try Data(bytes).write(to: file)
  }

  /// Writes the numbers of streams for the program.
  static func write(_ streams: [UInt32], to file: URL) throws {
    var bytes: [UInt8] = []
    for stream in streams { append(stream, to: &bytes) }
    try Data(bytes).write(to: file)
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Throws ``Skipped`` if Python, the library or the program is missing.
  ///
  /// - Parameter directory: Where output can be written.
  func check(in directory: URL) throws {
    _ = try run(["check"], in: directory)
  }

  /// Appends the events of a file in transactions of `batch` events, for so long at most.
  func append(
    _ events: URL, in directory: URL, batch: Int, for patience: Duration = .seconds(3600)
  ) throws -> Measurement {
    let seconds = patience / .seconds(1)
    let figures = try run(
      ["append", Self.place(in: directory), events.path, "\(batch)", "\(seconds)"], in: directory)
    return Self.measurement(figures)
  }

  /// Reads the whole log.
  func scan(_ directory: URL, expecting count: Int) throws -> Measurement {
    try measurement(
      ["scan", Self.place(in: directory)], in: directory, expecting: count, hasLatencies: false)
  }

  /// Reads all events of each stream whose number is in a file.
  func read(_ streams: URL, in directory: URL, expecting count: Int) throws -> Measurement {
    try measurement(["streams", Self.place(in: directory), streams.path], in: directory, expecting: count)
  }

  private static func place(in directory: URL) -> String { directory.appendingPathComponent(database).path }

  private func measurement(
    _ work: [String], in directory: URL, expecting count: Int, hasLatencies: Bool = true
  ) throws -> Measurement {
    let figures = try run(work, in: directory)
    guard figures.entries == count else {
      throw WrongWork(description: "\(Self.name) read \(figures.entries) events of \(count)")
    }
    var measurement = Self.measurement(figures)
    if !hasLatencies { measurement.latencies = [] }
    return measurement
  }

  private static func measurement(_ figures: Figures) -> Measurement {
    Measurement(
      count: figures.entries, in: .seconds(figures.seconds),
      latencies: figures.latencies.map { .microseconds($0) })
  }

  /// Runs the program, with its output in files in `directory`.
  private func run(_ work: [String], in directory: URL) throws -> Figures {
    let interpreter = ProcessInfo.processInfo.environment[Self.variable] ?? "python3"
    let program = try Self.program()
    let output = directory.appendingPathComponent("\(Self.name).out")
    let errors = directory.appendingPathComponent("\(Self.name).err")
    // The shell looks for the interpreter, and opens the files.
    let child = try ChildProcess(
      "/bin/sh",
      ["sh", "-c", #"out=$1 err=$2; shift 2; exec "$@" >"$out" 2>"$err""#, "sh", output.path, errors.path]
        + [interpreter, program] + work)
    let end = try child.wait()
    switch end {
    case .exited(0): return try JSONDecoder().decode(Figures.self, from: Data(contentsOf: output))
    case .exited(126), .exited(127):
      throw Skipped(reason: "there is no '\(interpreter)' (\(Self.variable) names another interpreter)")
    case .exited(3):
      throw Skipped(
        reason: "'\(interpreter)' has no library \(Self.name) (pip install \(Self.name), or name another "
          + "interpreter with \(Self.variable))")
    default:
      let text = try String(contentsOf: errors, encoding: .utf8)
      throw WrongWork(description: "\(Self.name) ended otherwise: \(end): \(text)")
    }
  }

  /// The program's file, in the package of this executable or in the current directory.
  private static func program() throws(Skipped) -> String {
    var place = URL(fileURLWithPath: ChildProcess.program).resolvingSymlinksInPath()
    var places = [URL(fileURLWithPath: path)]
    while place.path != "/" {
      place.deleteLastPathComponent()
      places.append(place.appendingPathComponent(path))
    }
    guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
      throw Skipped(reason: "there is no '\(path)' (run this in the package's directory)")
    }
    return found.path
  }
}
