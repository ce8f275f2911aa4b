import Annals
import Foundation

@Schema(1, 0, 0) enum ReadingsV1 {
  @Record struct Measured {
    var celsius: Double
  }
  @Record struct Failed { var reason: String }
}

enum ReadingsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ReadingsV1, ReadingsV1> {}
}

/// A line of the input.
struct Line: Decodable {
  var id: UUID
  var sensor: String
  var at: Date
  var celsius: Double?
  var error: String?

  /// The event of the line. Its id makes a second import harmless.
  var event: NewEvent<ReadingsV1.Event> {
    let event: ReadingsV1.Event =
      if let celsius { .measured(.init(celsius: celsius)) } else {
        .failed(.init(reason: error ?? "unknown"))
      }
    return NewEvent(event, id: id, metadata: ["source": "readings.jsonl"], time: at)
  }
}

/// The lowest, highest and mean temperature of each sensor.
enum Sensors: Projection {
  typealias Event = ReadingsV1.Event
  @Record struct Sensor: ProjectionRow {
    var name: String
    var count: Int
    var lowest: Double
    var highest: Double
    var sum: Double

    var key: String { name }
  }

  static let name = "sensors"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Sensor.self)] }
  static var events: EventQuery<Event> { [\.measured] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .measured(let measured) = entry.event else { return }
    let value = measured.celsius
    let first = Sensor(name: entry.stream.text, count: 0, lowest: value, highest: value, sum: 0)
    try rows.update(Sensor.self, entry.stream.text, initial: first) { sensor in
      sensor.count += 1
      sensor.lowest = min(sensor.lowest, value)
      sensor.highest = max(sensor.highest, value)
      sensor.sum += value
    }
  }
}

/// The number of readings and failures of each hour.
enum Hours: Projection {
  typealias Event = ReadingsV1.Event
  @Record struct Hour: ProjectionRow {
    var begin: Date
    var measured: Int
    var failed: Int

    var key: Date { begin }
  }

  static let name = "hours"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Hour.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let seconds = entry.time.timeIntervalSince1970
    let begin = Date(timeIntervalSince1970: (seconds / 3600).rounded(.down) * 3600)
    try rows.update(Hour.self, begin, initial: Hour(begin: begin, measured: 0, failed: 0)) { hour in
      switch entry.event {
      case .measured: hour.measured += 1
      case .failed: hour.failed += 1
      }
    }
  }
}
