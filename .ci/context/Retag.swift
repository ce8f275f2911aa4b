@Schema(1, 0, 0) enum RosterV1 {
  @Record struct Enrolled {
    @Field(tag: "course") var course: String
    var pupil: String
  }
}
@Schema(2, 0, 0) enum RosterV2 {
  @Record struct Enrolled {
    @Field(tag: "course") var course: String
    @Field(tag: "pupil") var pupil: String
  }
}
let stage = MigrationStage.custom(fromVersion: RosterV1.self, toVersion: RosterV2.self) {
// here
}
