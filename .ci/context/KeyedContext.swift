@Schema(1, 0, 0) enum ParksV1 { @Record struct ParkAdded { var city: String? } }
@Schema(2, 0, 0) enum ParksV2 { @Record struct ParkAdded { var city: String? } }
let stage = MigrationStage.custom(
  fromVersion: ParksV1.self, toVersion: ParksV2.self,
// here
) {
  Upcast(\.parkAdded, to: \.parkAdded) { old, origin, _ in .init(city: old.city) }
}
