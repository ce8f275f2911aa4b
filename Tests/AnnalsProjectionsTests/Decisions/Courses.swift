@testable import Annals

@Schema(1, 0, 0) enum SeatCoursesV1 {
  @Record struct CourseOffered {
    @Field(tag: "course") var course: String
    var seats: Int
  }
  @Record struct Enrolled {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: String
  }
  @Record struct Left {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: String
  }
}

enum SeatCoursesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatCoursesV1, SeatCoursesV1> {}
}

/// The facts on which a student may enrol: a free seat, and fewer than ten courses.
struct Booking: DecisionModel, Equatable {
  static let mostCourses = 10

  let course: String
  let student: String
  var freeSeats = 0
  var courses = 0
  var isEnrolled = false

  init(course: String, student: String) {
    self.course = course
    self.student = student
  }

  mutating func apply(_ entry: Entry<SeatCoursesV1.Event>) {
    switch entry.event {
    case .courseOffered(let offer): freeSeats += offer.seats
    case .enrolled(let enrolment):
      if enrolment.course == course { freeSeats -= 1 }
      if enrolment.student == student { courses += 1 }
      if enrolment.course == course, enrolment.student == student { isEnrolled = true }
    case .left(let leaving):
      if leaving.course == course { freeSeats += 1 }
      if leaving.student == student { courses -= 1 }
      if leaving.course == course, leaving.student == student { isEnrolled = false }
    }
  }

  var query: EventQuery<SeatCoursesV1.Event> {
    .any(of: [
      EventQuery(tags: [EventTag("course", course)]),
      EventQuery([\.enrolled, \.left], tags: [EventTag("student", student)]),
    ])
  }

  /// Why the student may not enrol; `nil` if it may.
  var refusal: Refusal? {
    if isEnrolled { return .isEnrolled }
    if freeSeats <= 0 { return .full }
    return courses >= Self.mostCourses ? .tooMany : nil
  }

  enum Refusal: String, Error, CaseIterable { case full, tooMany, isEnrolled }
}

extension EventStore<SeatCoursesPlan> {
  /// Enrols a student in a course.
  func enrol(_ student: String, in course: String, attempts: Int = 5) async throws -> Appended {
    let booking = Booking(course: course, student: student)
    return try await decide(booking, matching: booking.query, to: "enrolments", attempts: attempts) {
      (booking) throws -> [SeatCoursesV1.Event] in
      if let refusal = booking.refusal { throw refusal }
      return [.enrolled(.init(course: course, student: student))]
    }
  }

  /// Throws unless every enrolment and leaving was possible when it was stored.
  ///
  /// - Returns: The number of enrolments.
  func checkEnrolments() throws -> Int {
    var (seats, courses): ([String: Int], [String: Set<String>]) = ([:], [:])
    var enrolments = 0
    var wrong: [String] = []
    try read { snapshot throws(AnnalsError) in
      try snapshot.entries().forEach { (entry) throws(AnnalsError) in
        switch entry.event {
        case .courseOffered(let offer): seats[offer.course, default: 0] += offer.seats
        case .enrolled(let enrolment):
          enrolments += 1
          seats[enrolment.course, default: 0] -= 1
          if seats[enrolment.course, default: 0] < 0 { wrong.append("\(entry.position): no seat") }
          if !courses[enrolment.student, default: []].insert(enrolment.course).inserted {
            wrong.append("\(entry.position): enrolled twice")
          }
          if courses[enrolment.student, default: []].count > Booking.mostCourses {
            wrong.append("\(entry.position): too many courses")
          }
        case .left(let leaving):
          seats[leaving.course, default: 0] += 1
          if courses[leaving.student, default: []].remove(leaving.course) == nil {
            wrong.append("\(entry.position): left and was not enrolled")
          }
        }
      }
    }
    guard wrong.isEmpty else { throw WrongEnrolments(places: wrong) }
    return enrolments
  }
}

/// The places where an event was stored that was not possible.
struct WrongEnrolments: Error { let places: [String] }
