import Annals

/// Courses and students. In version 2 an enrolment has a year, and a booking became enrolments.
@Schema(1, 0, 0) enum CoursesV1 {
  @Record struct Enrolled {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: String
  }
  @Record struct Left {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: String
  }
  @Record struct Booked {
    @Field(tag: "course") var courses: [String]
    @Field(tag: "student") var student: String
  }
  @Record struct Noted { var text: String }
}

@Schema(2, 0, 0) enum CoursesV2 {
  typealias Noted = CoursesV1.Noted
  typealias Left = CoursesV1.Left
  @Record struct Enrolled {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: String
    var year: Int?
  }
}

enum FirstCourses: SchemaMigrationPlan {
  static var stages: MigrationChain<CoursesV1, CoursesV1> {}
}

enum Courses: SchemaMigrationPlan {
  static var stages: MigrationChain<CoursesV1, CoursesV2> {
    MigrationStage.custom(fromVersion: CoursesV1.self, toVersion: CoursesV2.self) {
      Split(\.booked, into: [\.enrolled]) { old, _ in
        old.courses.map { .enrolled(.init(course: $0, student: old.student, year: 1)) }
      }
    }
  }
}
