@Schema(1, 0, 0) enum SchoolV1 {
  @Record struct CourseOffered {
    @Field(tag: "course") var course: String
    var seats: Int
  }
  @Record struct Enrolled {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: String
  }
}
