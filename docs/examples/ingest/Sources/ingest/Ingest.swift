import Annals
import Foundation

/// An import of JSON lines with two projections. A second run of the same file stores nothing.
@main enum Ingest {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: ingest FILE")
      exit(64)
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    // Ids are recognised forever, because a file may come again after any time.
    var options = StoreOptions()
    options.idempotency = .always
    let store = try EventStore(
      at: folder.appending(path: "readings.annals"), plan: ReadingsPlan.self, options: options)

    let file = URL(filePath: CommandLine.arguments[1])
    for run in 1...2 {
      let (lines, stored) = try await ingest(file, into: store)
      print("Run \(run): \(lines) lines, \(stored) new events")
    }

    let (sensors, hours) = (try store.view(Sensors.self), try store.view(Hours.self))
    try await sensors.waitUntilBuilt()
    try await hours.waitUntilBuilt()
    print("Sensors")
    for sensor in try sensors.rows(RowQuery(Sensors.Sensor.self)) {
      let mean = (sensor.sum / Double(sensor.count) * 10).rounded() / 10
      print("  \(sensor.name): \(sensor.count) readings, \(sensor.lowest) to \(sensor.highest), mean \(mean)")
    }
    print("Hours")
    for hour in try hours.rows(RowQuery(Hours.Hour.self)) {
      print("  \(hour.begin.ISO8601Format()): \(hour.measured) measured, \(hour.failed) failed")
    }
  }

  /// Stores the events of a file, a hundred in each append.
  ///
  /// - Returns: The number of lines, and of events that the store did not have.
  static func ingest(
    _ file: URL, into store: EventStore<ReadingsPlan>
  ) async throws -> (lines: Int, stored: UInt64) {
    let before = try store.log.info().entries
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { text in
      try decoder.decode(Line.self, from: Data(text.utf8))
    }
    for start in stride(from: 0, to: lines.count, by: 100) {
      let batch = lines[start..<min(start + 100, lines.count)]
      try await store.append { call in
        for line in batch { call.append([line.event], to: StreamName(line.sensor)) }
      }
    }
    return (lines.count, try store.log.info().entries - before)
  }
}
