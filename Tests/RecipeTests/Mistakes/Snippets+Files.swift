extension Snippet {
  /// A file that declares schemas, with records that state each protocol which the macro would add.
  static let declaring = """
    public import Annals
    @Schema(1, 0, 0) public enum ShopV1 {
      @Record public struct Noise { public var n: Int; public var place: Place }
      @Record public struct Named: Record, Codable { public var n: Int }
      @Record public struct Shaped: ShapedRecord { public var n: Int }
      @Record public struct Stored: StoredValue, Equatable { public var n: Int; public var place: Place }
      @Value public struct Place: Equatable { public var shelf: Int; public var kind: Kind }
      @Value public enum Kind: Equatable { case low; case high(Int) }
    }
    @Schema(2, 0, 0) public enum ShopV2 {
      public typealias Noise = ShopV1.Noise
      public typealias Named = ShopV1.Named
      public typealias Shaped = ShopV1.Shaped
      @Record public struct Stored { public var n: Int; public var place: ShopV1.Place }
    }
    """

  /// A file that reads the fields of those records and names the records afterwards.
  static let using = """
    import Annals
    enum Noises: Projection {
      typealias Event = ShopV2.Event
      @Record struct Total: ProjectionRow { var key: Int; var n: Int; var place: ShopV1.Place? }
      static let name = "noises"
      static let version = 1
      static var tables: [ProjectionTable] { [.rows(Total.self)] }
      static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
        switch entry.event {
        case .noise(let noise):
          let first = Total(key: noise.place.shelf, n: 0, place: noise.place)
          try rows.update(Total.self, noise.place.shelf, initial: first) { $0.n += noise.n }
        case .named(let named): print(named.n)
        case .shaped(let shaped): print(shaped.n)
        case .stored(let stored): print(stored.n, stored.place.kind == .low)
        }
      }
      static var events: EventQuery<Event> { [\\.noise, \\.named, \\.shaped, \\.stored] }
    }
    func old(_ event: ShopV1.Event) {
      if case .stored(let stored) = event { print(stored.n, stored.place.shelf) }
    }
    enum ShopPlan: SchemaMigrationPlan {
      static var stages: MigrationChain<ShopV1, ShopV2> {
        MigrationStage.custom(fromVersion: ShopV1.self, toVersion: ShopV2.self) {
          Upcast(\\.stored, to: \\.stored) { old, _ in .init(n: old.n, place: old.place) }
        }
      }
    }
    enum Loudness: Aggregate {
      typealias Event = ShopV2.Event
      @Record struct State { var n: Int }
      static let name = "loudness"
      static let version = 1
      static var initial: State { State(n: 0) }
      static func apply(_ entry: Entry<Event>, to state: inout State) {
        if case .noise(let noise) = entry.event { state.n += noise.n }
      }
    }
    func append(to store: EventStore<ShopPlan>) async throws {
      let noise = ShopV1.Noise(n: 1, place: .init(shelf: 1, kind: .high(2)))
      _ = try await store.append([.noise(noise)], to: "shop", expecting: .any)
      print(try store.load(Loudness.self, from: "shop").state.n)
    }
    """
}
