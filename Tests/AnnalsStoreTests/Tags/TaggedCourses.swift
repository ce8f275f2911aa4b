#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A schema with each way to give events tags, and one record without.
@Schema(1, 0, 0) enum TaggedCoursesV1 {
  @Record struct Enrolled {
    @Field(tag: "course") var courseID: String
    @Field("s", tag: "student") var studentID: UUID
    var note: String?
  }

  @Record struct Moved {
    @Field(tag: "course") var from: String
    @Field(tag: "course") var to: String?
    @Field(tag: "level") var level: Level
    @Field(tag: "room") var rooms: [Int] = []
    @Field(tag: "teacher") var teachers: Set<String>? = nil
  }

  @Record struct Named {
    var first: String
    var last: String

    static func tags(_ value: Self) -> [Annals.EventTag] { ["name:\(value.first)-\(value.last)"] }
  }

  @Record struct Plain { var course: String }

  @Value enum Level: String, TagValue {
    case beginner = "b"
    case expert = "x"
  }
}
