import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import AnnalsCoding
@testable import AnnalsSchema

@Suite struct RecordTagsTests {
  private typealias Event = TaggedCoursesV1.Event

  // Promise P185.
  @Test func `a field that is a tag gives its event the tag of its value`() throws {
    let student = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(
      Event.enrolled(.init(courseID: "c1", studentID: student)).tags
        == ["course:c1", "student:e621e1f8-c36c-495a-93fc-0c247a3e6e5f"])
  }

  @Test func `an optional gives none or one tag, and arrays and sets give several`() {
    #expect(Event.moved(.init(from: "a", level: .expert)).tags == ["course:a", "level:x"])
    #expect(
      Event.moved(
        .init(from: "b", to: "a", level: .beginner, rooms: [3, -1], teachers: ["q", "p"])
      ).tags == [
        "course:a", "course:b", "level:b", "room:-1", "room:3", "teacher:p", "teacher:q",
      ])
  }

  @Test func `two fields with one name and one value give one tag`() {
    #expect(
      Event.moved(.init(from: "a", to: "a", level: .expert, rooms: [1, 1])).tags
        == ["course:a", "level:x", "room:1"])
  }

  @Test func `a record may write its tags itself`() {
    #expect(Event.named(.init(first: "Ada", last: "L")).tags == ["name:Ada-L"])
    #expect(TaggedCoursesV1.Named.hasTags)
  }

  @Test func `a record without tags says so without a value`() {
    #expect(!TaggedCoursesV1.Plain.hasTags)
    #expect(Event.plain(.init(course: "c1")).tags == [])
    #expect(Event.records.map { $0.type.hasTags } == [true, true, true, false])
    #expect(Event.hasTags)
    #expect(!FilmsV1.Event.hasTags)
  }

  @Test func `each type of key has a text as a tag`() {
    #expect(EventTag("a", "x:y") == "a:x:y")
    #expect(EventTag("a", StreamName("s/1")) == "a:s/1")
    #expect(EventTag("a", Int64.min) == "a:-9223372036854775808")
    #expect(EventTag("a", UInt64.max) == "a:18446744073709551615")
    #expect(EventTag("a", true) == "a:true")
    #expect(EventTag("a", -0.0) == EventTag("a", 0.0))
    #expect(EventTag("a", 0.1) == "a:0.1")
    #expect(EventTag("a", Decimal(string: "-12.50") ?? 0) == "a:-12.5")
    #expect(EventTag("a", Decimal(sign: .plus, exponent: -2, significand: 100)) == "a:1")
    #expect(EventTag("a", Decimal(sign: .plus, exponent: 3, significand: 1)) == "a:1000")
    #expect(EventTag("a", -Decimal.zero) == EventTag("a", Decimal.zero))
    #expect(EventTag("a", Position(7)) == "a:7")
    #expect(EventTag("a", Data([0, 255])) == "a:AP8=")
    #expect(EventTag("a", Date(timeIntervalSinceReferenceDate: 0.5)) == "a:2001-01-01T00:00:00.500000Z")
    #expect(EventTag("a", Date(timeIntervalSinceReferenceDate: 1e15)) == "a:1000000000000000.0")
  }

  @Test func `tags are equal and ordered by their bytes`() {
    let composed: EventTag = "name:\u{e9}"
    let decomposed: EventTag = "name:e\u{301}"
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect(decomposed < composed)
    #expect(("a:10" as EventTag) < "a:9")
    #expect("\(composed)" == "name:\u{e9}")
  }

  @Test func `a tag has 1 to 500 bytes and no NUL, checked when it is used`() throws {
    try EventTag(String(repeating: "\u{e9}", count: 250)).check()
    try ("x" as EventTag).check()
    for text in ["", "a:\0", String(repeating: "\u{e9}", count: 250) + "x"] {
      let error = #expect(throws: AnnalsError.self) { try EventTag(text).check() }
      #expect(error?.code == .invalidName)
      #expect(error?.message.contains("choose another tag") == true)
    }
  }
}
