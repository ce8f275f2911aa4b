@Schema(1, 0, 0) enum SeatsV1 {
  @Record struct Enrolled { @Field(tag: "course") var course: String }
  @Record struct Left { @Field(tag: "course") var course: String }
}
enum SeatsPlan: SchemaMigrationPlan { static var stages: MigrationChain<SeatsV1, SeatsV1> {} }
typealias Event = SeatsV1.Event
func append(_ enrolment: SeatsV1.Enrolled, to store: EventStore<SeatsPlan>) async throws {
// here
}
