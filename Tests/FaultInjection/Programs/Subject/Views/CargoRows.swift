import Annals

/// All rows of the view, with the position that they have read to.
struct CargoRows: Equatable {
  var position: UInt64
  var ships: [CargoShip]
  /// The same ships in the order of their cargo.
  var byTonnes: [CargoShip]
  var loads: [CargoLoad]

  /// The rows that a snapshot shows.
  init<V: CargoVersion>(_ snapshot: borrowing ViewSnapshot<Cargo<V>>) throws(AnnalsError) {
    position = try snapshot.position()?.rawValue ?? 0
    ships = try snapshot.rows(RowQuery(CargoShip.self))
    byTonnes = try snapshot.rows(RowQuery(CargoShip.byTonnes))
    loads = try snapshot.rows(RowQuery(CargoLoad.self))
  }

  /// The rows that a version makes of the events up to a position, computed without views.
  init(of events: [HarbourV1.Event], upTo position: UInt64, version: Int) {
    self.position = position
    var found: [String: CargoShip] = [:]
    loads = []
    for (index, event) in events.prefix(Int(position)).enumerated() {
      guard case .loaded(let loaded) = event else { continue }
      var ship =
        found[loaded.ship] ?? CargoShip(name: loaded.ship, version: version, tonnes: 0, loads: 0, note: "")
      ship.tonnes += loaded.tonnes * version
      ship.loads += 1
      ship.note = loaded.note
      found[loaded.ship] = ship
      loads.append(CargoLoad(position: index + 1, version: version, ship: loaded.ship))
    }
    ships = found.values.sorted { $0.name < $1.name }
    byTonnes = found.values.sorted { ($0.tonnes, $0.name) < ($1.tonnes, $1.name) }
  }

  /// The version that has folded the rows; `nil` if there are none.
  var version: Int? { ships.first?.version }

  /// The first difference from the right rows; `nil` if there is none.
  func difference(from right: CargoRows) -> String? {
    if ships != right.ships { return "of ships " + Self.first(ships, right.ships) }
    if byTonnes != right.byTonnes { return "by tonnes " + Self.first(byTonnes, right.byTonnes) }
    return loads == right.loads ? nil : "of loads " + Self.first(loads, right.loads)
  }

  private static func first<Row: Equatable>(_ found: [Row], _ right: [Row]) -> String {
    let index = zip(found, right).prefix { $0 == $1 }.count
    let (have, need) = (found.dropFirst(index).first, right.dropFirst(index).first)
    return
      "row \(index) of \(found.count) is \(have.map { "\($0)" } ?? "missing"), not \(need.map { "\($0)" } ?? "there"), of \(right.count)"
  }
}
