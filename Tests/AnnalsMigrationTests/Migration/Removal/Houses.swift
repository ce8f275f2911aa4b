import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// Houses, as they were first described.
@Schema(1, 0, 0) enum HousesV1 {
  @Value struct Room: Equatable {
    var name: String
    var colour: String?
  }
  @Value struct Owner: Equatable {
    var name: String
    var age: Int
  }
  @Value enum Heating: Equatable {
    case none
    case gas(meter: String, year: Int)
  }
  @Record struct Built: Equatable {
    var street: String
    var nickname: String?
    var rooms: [Room]
    var cellars: [String: Room]
    var heating: Heating
    var owner: Owner
    var floors: Int32
  }
  @Record struct Sold: Equatable {
    var price: Int
    var secret: String
  }
  @Record struct Rumoured: Equatable { var text: String }
  @Record struct Visited: Equatable { var guests: [String] }
  @Record struct Painted: Equatable { var colour: String }
}

/// The nickname, the colours, the year of the heating and the owner's age are gone.
@Schema(2, 0, 0) enum HousesV2 {
  @Value struct Room: Equatable { var name: String }
  @Value enum Heating: Equatable {
    case none
    case gas(meter: String)
  }
  @Record struct Built: Equatable {
    @Field(originalName: "street") var road: String
    var rooms: [Room]
    var cellars: [String: Room]
    var heating: Heating
    @Field(originalName: "name") var keeper: String
    var floors: Int64
  }
  @Record struct Sold: Equatable { var price: Int }
  @Record struct Came: Equatable {
    var guest: String
    var number: Int
  }
  typealias Painted = HousesV1.Painted
}

/// The road is gone, and the number of a guest.
@Schema(3, 0, 0) enum HousesV3 {
  @Record struct Built: Equatable {
    var rooms: [HousesV2.Room]
    var cellars: [String: HousesV2.Room]
    var heating: HousesV2.Heating
    var keeper: String
    var floors: Int64
  }
  typealias Sold = HousesV2.Sold
  @Record struct Came: Equatable { var guest: String }
  typealias Painted = HousesV1.Painted
}

enum FirstHouses: SchemaMigrationPlan {
  static var stages: MigrationChain<HousesV1, HousesV1> {}
}

enum SecondHouses: SchemaMigrationPlan {
  static var stages: MigrationChain<HousesV1, HousesV2> { Houses.first }
}

enum Houses: SchemaMigrationPlan {
  static var first: MigrationStage<HousesV1, HousesV2> {
    MigrationStage.custom(fromVersion: HousesV1.self, toVersion: HousesV2.self) {
      Hoist(\.built, \.keeper, from: "owner")
      Upcast(\.sold, to: \.sold) { old, _ in .init(price: old.price) }
      Drop(\.rumoured, reason: "hearsay")
      Split(\.visited, into: [\.came], emptyBecause: "nobody came") { old, _ in
        old.guests.enumerated().map { .came(.init(guest: $0.element, number: $0.offset)) }
      }
    }
  }

  static var stages: MigrationChain<HousesV1, HousesV3> {
    first
    MigrationStage.lightweight(fromVersion: HousesV2.self, toVersion: HousesV3.self)
  }
}

extension HousesV1.Event {
  /// A random event.
  static func random(using generator: inout SeededGenerator) -> HousesV1.Event {
    func text() -> String {
      ["", "a", "two words", "e\u{301}", "\"q\"", "日本語"].randomElement(using: &generator) ?? ""
    }
    func room() -> HousesV1.Room {
      .init(name: text(), colour: Bool.random(using: &generator) ? text() : nil)
    }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0...3:
      let number = Int.random(in: 0...9, using: &generator)
      return .built(
        .init(
          street: text(), nickname: Bool.random(using: &generator) ? text() : nil,
          rooms: (0..<number % 4).map { _ in room() },
          cellars: number % 2 == 0 ? [:] : ["wine": room(), "coal": room()],
          heating: number % 3 == 0 ? .none : .gas(meter: text(), year: number),
          owner: .init(name: text(), age: number), floors: Int32(number)))
    case 4: return .sold(.init(price: 7, secret: text()))
    case 5: return .rumoured(.init(text: text()))
    case 6:
      return .visited(.init(guests: (0..<Int.random(in: 0...2, using: &generator)).map { _ in text() }))
    default: return .painted(.init(colour: text()))
    }
  }
}

/// What a pass must remove from houses, worked out from the lines of a dump before it.
struct HouseOracle {
  /// The lines that the archive must have.
  private(set) var lines: [String] = []
  /// The positions of their entries.
  private(set) var positions: [Int] = []
  /// The fields that the report must list: name, version that removed it, events, first position.
  private(set) var fields: Set<[String]> = []

  /// - Parameter dump: The lines of a dump of events of the first version.
  init(_ dump: [[String: Any]]) {
    var counts: [[String]: (count: Int, first: Int)] = [:]
    for entry in dump {
      guard let type = entry["type"] as? String, let data = entry["data"] as? [String: Any],
        let position = entry["position"] as? Int
      else { continue }
      var line: [String: Any] = [:]
      for key in ["position", "stream", "revision", "type", "version", "time", "id"] {
        line[key] = entry[key]
      }
      switch type {
      case "Built":
        let removed = Self.removed(from: data)
        line["removed"] = removed.map(\.value)
        for field in Set(removed.map(\.field)) {
          let known = counts[field] ?? (0, position)
          counts[field] = (known.count + 1, known.first)
        }
      case "Rumoured": line["dropped"] = ["hearsay"]
      case "Visited" where (data["guests"] as? [String])?.isEmpty == true: line["dropped"] = ["nobody came"]
      default: continue
      }
      if line["dropped"] != nil {
        line["data"] = data
        line["metadata"] = entry["metadata"]
      }
      lines.append(Self.text(line))
      positions.append(position)
    }
    fields = Set(counts.map { $0.key + ["\($0.value.count)", "\($0.value.first)"] })
  }

  /// An object as text, independent of the order of its members.
  static func text(_ object: [String: Any]) -> String {
    guard let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]) else {
      return "\(object)"
    }
    return String(decoding: data, as: UTF8.self)
  }

  private struct Removed {
    /// The field's name and the version that has it no more.
    let field: [String]
    let value: [String: Any]
  }

  private static func removed(from data: [String: Any]) -> [Removed] {
    var all: [Removed] = []
    func add(_ path: [String], _ value: Any?, at place: [Any]? = nil, in version: Int = 2) {
      guard let value else { return }
      var item: [String: Any] = ["path": path, "value": value]
      item["at"] = place
      all.append(
        Removed(field: [(["Built"] + path).joined(separator: "."), "\(version).0.0"], value: item))
    }
    // Payloads by name are sorted by the length of their keys first.
    let owner = data["owner"] as? [String: Any]
    add(["owner", "age"], owner?["age"])
    for (index, room) in (data["rooms"] as? [[String: Any]] ?? []).enumerated() {
      add(["rooms", "colour"], room["colour"], at: ["rooms", index, "colour"])
    }
    add(["street"], data["street"], in: 3)
    let cellars = data["cellars"] as? [String: [String: Any]] ?? [:]
    for key in cellars.keys.sorted() {
      add(["cellars", "colour"], cellars[key]?["colour"], at: ["cellars", key, "colour"])
    }
    if let gas = (data["heating"] as? [String: Any])?["gas"] as? [String: Any] {
      add(["heating", "gas", "year"], gas["year"])
    }
    add(["nickname"], data["nickname"])
    return all
  }
}

extension TemporaryStore {
  /// Every line of a dump of the log.
  func dump() throws -> [[String: Any]] {
    var lines = try EntryLines(EventLog(at: url, options: StoreOptions(access: .readOnly, creation: .never)))
    var bytes: [UInt8] = []
    while let page = try lines.nextPage() { bytes += page }
    return try Self.objects(Data(bytes))
  }

  /// The lines of an archive.
  func archive(_ name: String = "archive") throws -> [[String: Any]] {
    try Self.objects(Data(contentsOf: directory.appendingPathComponent(name)))
  }

  /// The lines of an archive, to be compared.
  func archiveLines(_ name: String = "archive") throws -> [String] {
    try archive(name).map { HouseOracle.text($0) }
  }

  /// Where an archive goes.
  func archiveURL(_ name: String = "archive") -> URL { directory.appendingPathComponent(name) }

  private static func objects(_ data: Data) throws -> [[String: Any]] {
    try data.split(separator: 0x0a).map {
      try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] ?? [:]
    }
  }
}

extension MigrationReport {
  /// The declared fields that were removed: name, version that removed it, events, first position.
  var houseFields: Set<[String]> {
    Set(
      removedFields.map {
        [$0.name, $0.removedIn?.description ?? "", "\($0.count)", "\($0.firstPosition)"]
      })
  }
}
