import Annals

extension FieldDecoder {
  /// The decoders that the macros generate, and the operations on payloads that need only shapes.
  static let generated: [FieldDecoder] = [
    FieldDecoder(Shipment.self), FieldDecoder(Ledger.self), FieldDecoder(Manifest.self, isExact: false),
    FieldDecoder(Voyages.Older.self), field(Crate.self), field(Route.self), field(Hazard.self),
    field([Hazard?].self), field(Set<Hazard>.self),
    naming(Shipment.self), naming(Ledger.self), naming(Manifest.self), naming(Voyages.Older.self),
    reading(Shipment.self), reading(Ledger.self), reading(Manifest.self), reading(Voyages.Older.self),
    converting(Voyages.Older.self, to: Voyages.Newer.self),
    converting(Voyages.Newer.self, to: Voyages.Older.self, .downgrade),
    shapeText,
  ]

  /// A finding: a failure that must not occur for any bytes. No real failure has an offset below zero.
  static func finding(_ what: String) -> CodingFailure {
    CodingFailure(.refused, at: -1, detail: what)
  }
}
