// from School
enum SchoolPlan: SchemaMigrationPlan { static var stages: MigrationChain<SchoolV1, SchoolV1> {} }
struct Booking: DecisionModel {
  let course: String
  let student: String
  var freeSeats = 0
  var courses = 0
  mutating func apply(_ entry: Entry<SchoolV1.Event>) {}
}
typealias Event = SchoolV1.Event
enum Refusal: Error { case notPossible }
let store = try EventStore(at: URL(filePath: "school.annals"), plan: SchoolPlan.self)
let (course, student) = ("c1", "s7")
