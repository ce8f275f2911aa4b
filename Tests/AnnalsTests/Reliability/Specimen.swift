import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// A small store with everything: long and short streams, ids, metadata, times, large payloads, free pages.
enum Specimen {
  /// The plan that its events are of.
  enum Plan: SchemaMigrationPlan {
    static var stages: MigrationChain<OrdersV1, OrdersV1> {}
  }

  static let file = "log-000001.mdb"

  /// Creates the store at `url`.
  static func create(at url: URL) async throws {
    let store = try EventStore(at: url, plan: Plan.self)
    for number in 0..<12 {
      let event: OrdersV1.Event =
        switch number % 4 {
        case 0: .placed(.init(lines: ["line \(number)", "ink"], total: number))
        case 1: .pinged(.init(number: number))
        // Takes pages of its own.
        case 2: .placed(.init(lines: [String(repeating: "long \(number) ", count: 300 + number)], total: 1))
        default: .shipped(.init(parcel: "parcel \(number)"))
        }
      let id = number % 3 == 0 ? UUID(uuidString: "00000000-0000-4000-8000-0000000000\(10 + number)") : nil
      let new = NewEvent<OrdersV1.Event>(
        event, id: id, metadata: number % 5 == 0 ? ["user": .init("user \(number)")] : [:],
        time: Date(timeIntervalSinceReferenceDate: Double(number)))
      // Every commit frees the pages that it replaces.
      let many = (0..<16).map { index in
        OrdersV1.Event.placed(
          .init(lines: ["line \(index)", String(repeating: "ink ", count: 60)], total: number))
      }
      try await store.append { call in
        call.append([new], to: "order \(number % 6)")
        call.append(many, to: number == 3 ? "one" : "all")
      }
    }
  }
}

/// What a store says when all of it is read.
struct Reading: Equatable, Sendable {
  /// Each entry in words, by position from 1.
  var entries: [String] = []
  /// The positions of each stream's entries, in the order of the names.
  var streams: [String] = []
  var census = ""
  var info = ""
  /// Each event of the plan in words.
  var events: [String] = []

  /// An entry in words, with all that the log knows of it.
  static func describe(_ entry: LogEntry) -> String {
    let metadata = entry.metadata.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    let id = entry.id?.uuidString ?? "-"
    let version = entry.version.map { "\($0)" } ?? "-"
    // The words of thousands of bytes take longer than everything else that is done with a damaged file.
    let content =
      if case .payload(let payload) = entry.content { Data(payload.bytes).base64EncodedString() } else {
        "\(entry.content)"
      }
    return
      "\(entry.position) \(entry.stream)/\(entry.revision) \(entry.type) \(version) \(entry.time) \(id) {\(metadata)} \(entry.isEndOfCall) \(content)"
  }

  static func describe(_ info: LogInfo) -> String {
    "\(info.id) \(info.format) \(info.generation) \(info.entries) \(info.streams) \(info.schemas) \(info.census) \(info.window) \(info.requires)"
  }

  /// Reads everything through the log.
  init(_ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    entries = try snapshot.all().map(Self.describe)
    var list = try snapshot.streams()
    var names: [StreamName] = []
    while let stream = try list.next() {
      streams.append("\(stream.name) \(stream.revision) \(stream.first) \(stream.last)")
      names.append(stream.name)
    }
    for name in names {
      let forwards = try snapshot.all(in: name).map(\.position.rawValue)
      let backwards = try snapshot.all(in: name, backwards: true).map(\.position.rawValue)
      streams.append("\(name): \(forwards) \(backwards)")
    }
    census = "\(try snapshot.census())"
  }

  /// Whether this is what an earlier state of the same store said of its log.
  func isEarlier(than other: Reading) -> Bool {
    entries.count < other.entries.count && entries.elementsEqual(other.entries.prefix(entries.count))
  }
}
