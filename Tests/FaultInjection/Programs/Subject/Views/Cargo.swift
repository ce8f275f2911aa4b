package import Annals

/// The cargo of a ship.
@Record package struct CargoShip: ProjectionRow, Equatable {
  package var name: String
  /// The version that has folded the row.
  package var version: Int
  package var tonnes: Int
  package var loads: Int
  package var note: String

  package var key: String { name }
  static let byTonnes = SecondaryKey<CargoShip, Int>("tonnes") { $0.tonnes }
  package static var secondaryKeys: [any DeclaredKey<CargoShip>] { [byTonnes] }
}

/// One load.
@Record package struct CargoLoad: ProjectionRow, Equatable {
  package var position: Int
  /// The version that has folded the row.
  package var version: Int
  package var ship: String

  package var key: Int { position }
}

/// A version of the projection.
package protocol CargoVersion: Sendable {
  static var number: Int { get }
  /// The value of each tonne, in which the rows of different versions differ.
  static var weight: Int { get }
}

extension CargoVersion {
  package static var weight: Int { number }
}

package enum CargoOne: CargoVersion { package static let number = 1 }
package enum CargoTwo: CargoVersion { package static let number = 2 }
package enum CargoThree: CargoVersion { package static let number = 3 }

/// The cargo of all ships. The third version begins with the rows of the second one.
package enum Cargo<V: CargoVersion>: Projection {
  package typealias Event = HarbourV1.Event
  package static var name: String { "cargo" }
  package static var version: Int { V.number }
  package static var tables: [ProjectionTable] { [.rows(CargoShip.self), .rows(CargoLoad.self)] }
  package static var events: EventQuery<Event> { [\.loaded] }
  package static var upcasts: [RowUpcast] {
    guard V.number == 3 else { return [] }
    return [
      RowUpcast(from: 2, CargoShip.self) { old in
        [
          CargoShip(
            name: old.name, version: 3, tonnes: old.tonnes / 2 * 3, loads: old.loads, note: old.note)
        ]
      },
      RowUpcast(from: 2, CargoLoad.self) { old in
        [CargoLoad(position: old.position, version: 3, ship: old.ship)]
      },
    ]
  }

  package static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .loaded(let loaded) = entry.event else { return }
    let initial = CargoShip(name: loaded.ship, version: V.number, tonnes: 0, loads: 0, note: "")
    try rows.update(CargoShip.self, loaded.ship, initial: initial) { ship in
      ship.tonnes += loaded.tonnes * V.weight
      ship.loads += 1
      ship.note = loaded.note
    }
    try rows.put(
      CargoLoad(position: Int(entry.position.rawValue), version: V.number, ship: loaded.ship))
  }
}
