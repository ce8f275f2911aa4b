/// A record for each way in which a record can change, before.
@Schema(1, 0, 0) enum RowsV1 {
  @Record struct AddsOptional { var a: Int }
  @Record struct Reorders {
    var a: Int
    var b: String
  }
  @Record struct AddsConstant { var a: Int }
  @Record struct AddsRequired { var a: Int }
  @Record struct RemovesOptional {
    var a: Int
    var note: String?
  }
  @Record struct RemovesRequired {
    var a: String
    var sets: Int
  }
  @Record struct Renames { var weight: Double }
  @Record struct BecomesOptional { var a: Int }
  @Record struct BecomesRequired { var a: Int? }
  @Record struct Widens { var a: Int32 }
  @Record struct Narrows { var a: Int }
  @Record struct AddsCase { var state: State }
  @Record struct AddsUnknownCase { var state: Openness }
  @Record struct RemovesCase { var state: State }
  @Record struct Wraps { var tags: String }
  @Record struct Plunges { var city: String }
  @Record struct Hoists { var place: Place }
  @Record struct Chooses { var a: [Int] }
  @Record struct CalledThis { var a: Int }
  @Record struct Removed { var a: Int }
  @Record struct Splits { var a: Int }

  @Value enum State {
    case open
    case closed
  }
  @Value enum Openness {
    case open
    @UnknownCase case other
  }
  @Value struct Place { var city: String }
}

/// The same records, after.
@Schema(2, 0, 0) enum RowsV2 {
  @Record struct AddsOptional {
    var a: Int
    var note: String?
  }
  @Record struct Reorders {
    var b: String
    var a: Int
  }
  @Record struct AddsConstant {
    var a: Int
    var unit: String
  }
  @Record struct AddsRequired {
    var a: Int
    var unit: String
  }
  @Record struct RemovesOptional { var a: Int }
  @Record struct RemovesRequired { var a: String }
  @Record struct Renames { @Field(originalName: "weight") var kilograms: Double }
  @Record struct BecomesOptional { var a: Int? }
  @Record struct BecomesRequired { var a: Int }
  @Record struct Widens { var a: Int }
  @Record struct Narrows { var a: Int32 }
  @Record struct AddsCase { var state: State }
  @Record struct AddsUnknownCase { var state: Openness }
  @Record struct RemovesCase { var state: OpenState }
  @Record struct Wraps { var tags: [String] }
  @Record struct Plunges { var place: RowsV1.Place }
  @Record struct Hoists { var city: String }
  @Record struct Chooses { var a: Int }
  @Record(formerly: ["CalledThis"]) struct CalledThat { var a: Int }
  @Record struct Part { var a: Int }
  @Record struct Added { var a: Int }

  @Value enum State {
    case open
    case closed
    case done
  }
  @Value enum Openness {
    case open
    @UnknownCase case other
    case done
  }
  @Value enum OpenState { case open }
}

enum RowsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<RowsV1, RowsV2> {
    MigrationStage.custom(fromVersion: RowsV1.self, toVersion: RowsV2.self) {
      Default(\.addsConstant, \.unit, "kg")
      Upcast(\.addsRequired, to: \.addsRequired) { old, origin in .init(a: old.a, unit: "kg") }
      Upcast(\.becomesRequired, to: \.becomesRequired) { old, origin in .init(a: old.a ?? 0) }
      Upcast(\.narrows, to: \.narrows) { old, origin in .init(a: Int32(clamping: old.a)) }
      Upcast(\.removesCase, to: \.removesCase) { old, origin in .init(state: .open) }
      Wrap(\.wraps, \.tags)
      Plunge(\.plunges, into: \.place)
      Hoist(\.hoists, \.city, from: "place")
      Upcast(\.chooses, to: \.chooses) { old, origin in .init(a: old.a.first ?? 0) }
      Drop(\.removed, reason: "noise")
      Split(\.splits, into: [\.part]) { old, origin in [.part(.init(a: old.a)), .part(.init(a: old.a))] }
    }
  }
}
