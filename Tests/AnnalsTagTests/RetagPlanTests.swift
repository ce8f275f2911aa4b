import Annals
import Foundation
import Testing

@testable import AnnalsMaintenance
@testable import AnnalsSchema
@testable import AnnalsStore

@Schema(1, 0, 0) enum NotesV1 {
  @Record struct Noted { var author: String }
  @Record struct Signed { @Field(tag: "author") var author: String }
}

@Schema(2, 0, 0) enum NotesV2 {
  typealias Noted = NotesV1.Noted
  @Record struct Signed {
    @Field(tag: "author") var author: String
    var place: String?
  }
  @Record struct Sealed { @Field(tag: "author") var author: String }
  @Record struct Listed {
    var names: [String]
    static func tags(_ value: Self) -> [EventTag] { value.names.map { EventTag("name", $0) } }
  }
}

/// What the compiler of plans, the check and the lock say of rules that compute tags again.
@Suite struct RetagPlanTests {
  private func problems(
    @RuleBuilder<NotesV1, NotesV2, NoContext> _ rules: () -> [Rule<NotesV1, NotesV2, NoContext>]
  ) -> [String] {
    let stage = MigrationStage.custom(
      fromVersion: NotesV1.self, toVersion: NotesV2.self, rules: rules)
    return MigrationChain(stage).outline.problems().map(\.description)
  }

  @Test func `rules that can be followed are no problem`() {
    #expect(problems { Retag(\.signed) } == [])
    #expect(problems { Retag(\.noted, "author") } == [])
    #expect(
      problems {
        Upcast(\.noted, to: \.listed) { old, _ in .init(names: [old.author]) }
        Retag(\.listed, "name")
        Retag(\.signed, "author", "signer")
      } == [])
  }

  @Test func `a record whose fields declare no tags needs the names`() {
    #expect(
      problems { Retag(\.noted) } == [
        "the stage from NotesV1 (1.0.0) to NotesV2 (2.0.0) has a Retag for 'Noted', and no field of it declares a tag: write @Field(tag: \"…\") at one, or name the tags: Retag(\\.noted, \"…\")"
      ])
  }

  @Test func `a record that no older one becomes, a name that no tag has, and two rules are refused`() {
    #expect(
      problems { Retag(\.sealed) } == [
        "the stage from NotesV1 (1.0.0) to NotesV2 (2.0.0) has a Retag for 'Sealed', which no record of NotesV1 (1.0.0) becomes, so that no stored event gets its tags: take it out, or name the record that older ones become"
      ])
    #expect(
      problems { Retag(\.signed, "a:b") }.first?.contains("a name that no tag has, for it has a colon")
        == true)
    #expect(problems { Retag(\.signed, "") }.first?.contains("for it is empty") == true)
    #expect(
      problems {
        Retag(\.signed)
        Retag(\.signed, "author")
      } == [
        "the stage from NotesV1 (1.0.0) to NotesV2 (2.0.0) has more than one Retag for 'Signed': name all its tags in one Retag(\\.signed, …)"
      ])
  }

  @Test func `fields declare the names that a rule without names computes`() {
    #expect(NotesV2.Signed.tagNames == ["author"])
    #expect(NotesV1.Noted.tagNames == [])
    #expect(NotesV2.Listed.tagNames == [])
    #expect(RetaggedV3.Booked.tagNames == ["course", "pupil"])
  }

  @Test func `the name of a tag is its text before the first colon`() {
    #expect(EventTag("course:c1").name.text == "course")
    #expect(EventTag("a:b:c").name.text == "a")
    #expect(EventTag("vip").name.text == "vip")
    #expect(EventTag(":x").name.text == "")
  }

  private enum Without: SchemaMigrationPlan {
    static var stages: MigrationChain<RetaggedV1, RetaggedV2> {
      MigrationStage.custom(fromVersion: RetaggedV1.self, toVersion: RetaggedV2.self) {
        Split(\.planned, into: [\.seatPlanned, \.hinted]) { old, _ in
          old.courses.map { .seatPlanned(.init(course: $0, student: old.student)) }
        }
        Retain(\.pinged)
      }
    }
  }

  @Test func `the mark of a plan has its rules, so that no other plan continues the pass`() throws {
    #expect(
      try PlanMark.of(CompiledPlan(RetaggedToSecond.self)) != PlanMark.of(CompiledPlan(Without.self)))
  }

  @Test func `the lock has the tags, and a rule that is changed after the release is found`() throws {
    let place = try TemporaryStore()
    let file = LockFile(url: place.directory.appendingPathComponent("Courses.lock"))
    _ = try RetaggedToSecond.check(file, isRecording: true)
    let text = try String(contentsOf: file.url, encoding: .utf8)
    #expect(text.hasPrefix("annals plan lock 4\n"))
    #expect(
      text.contains(
        "    retags Enrolled\n      tag course\n      tag student\n    retags SeatPlanned\n      tag course\n"
      ),
      "\(text)")
    #expect(try LockParser.parse(Array(text.utf8)).text == text)
    #expect(
      try RetaggedToSecond.check(file, isRecording: false).findings.filter { $0.severity != .note } == [])
    let changed = #expect(throws: AnnalsError.self) { try Without.check(file, isRecording: false) }
    #expect(
      changed?.message.contains("computes other tags of 'Enrolled' again than when it was released") == true,
      "\(String(describing: changed))")
    let disordered = text.replacingOccurrences(
      of: "      tag course\n      tag student\n", with: "      tag student\n      tag course\n")
    #expect(throws: LockFailure.self) { try LockParser.parse(Array(disordered.utf8)) }
    let older = text.replacingOccurrences(of: "annals plan lock 4", with: "annals plan lock 3")
    #expect(throws: LockFailure.self) { try LockParser.parse(Array(older.utf8)) }
    // A plan without such rules keeps the form that it had.
    try FileManager.default.removeItem(at: file.url)
    _ = try Without.check(file, isRecording: true)
    #expect(try String(contentsOf: file.url, encoding: .utf8).hasPrefix("annals plan lock 3\n"))
  }

  @Test func `the check of a plan names the tags, and that of a store counts the events`() async throws {
    let check = PlanCheck(of: RetaggedToThird.self)
    #expect(check.errors.isEmpty)
    #expect("\(check)".contains("  a pass computes tags of Enrolled again: course, student\n"), "\(check)")
    #expect("\(check)".contains("  a pass computes tags of Booked again: student, pupil\n"), "\(check)")
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: PlainCourses.self)
      try await store.append(
        [
          .enrolled(.init(course: "c1", student: 1)), .left(.init(course: "c1", student: 1)),
          .planned(.init(courses: [], student: 1)), .pinged(.init(course: "c1")),
        ], to: "all")
    }
    let stored = try RetaggedToThird.check(store: place.url)
    #expect(stored.stages.map(\.retagged) == [2, 1])
    #expect("\(stored)".contains("; a pass computes the tags of 2 again"), "\(stored)")
    let store = try EventStore(at: place.url, plan: RetaggedToThird.self)
    _ = try await store.migrate().report()
    #expect(try RetaggedToThird.check(store: place.url).stages.map(\.retagged).allSatisfy { $0 == 0 })
  }
}
