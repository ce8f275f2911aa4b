import Annals
import Foundation
import Testing

@testable import AnnalsCommand

@Schema(1, 0, 0) enum ShowV1 {
  @Value struct Seat { var row: Int }
  @Record struct Booked { var name: String?; var seats: [Seat]; var price: Int }
  @Record struct Cancelled { var name: String }
}
@Schema(2, 0, 0) enum ShowV2 {
  @Value struct Seat { var row: Int; var isBalcony: Bool }
  @Record struct Booked {
    var guest: String?; var seats: [Seat]; var price: Int; var `in`: Date; var note: Int
  }
  @Record struct Withdrawn { var name: String }
}
private enum ShowPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShowV1, ShowV2> {
    MigrationStage.lightweight(fromVersion: ShowV1.self, toVersion: ShowV2.self)
  }
}

/// The verbs that write Swift: `schema new`, and `check --propose`.
@Suite struct SchemaVerbTests {
  @Test func `the next version is printed with an alias for each record and an empty stage`() async {
    let run = await CommandRun(for: ParkPlan.self, "schema", "new")
    #expect(run.status == 0 && run.errors == "")
    #expect(run.output.contains("@Schema(2, 1, 0) enum ParksV3 {\n"))
    #expect(run.output.contains("  typealias ParkOpened = ParksV2.ParkOpened\n"))
    #expect(run.output.contains("let parksV2ToParksV3 = MigrationStage.lightweight(\n"))
    #expect(run.output.contains("static var stages: MigrationChain<ParksV1, ParksV3> {"))
    let other = await CommandRun(
      for: ParkPlan.self, "schema", "new", "--version", "7", "--name", "Later", "--draft", "--public",
      "--changing", "ParkOpened")
    #expect(other.output.contains("@Schema(7, 0, 0, .draft) public enum Later {\n"))
    #expect(other.output.contains("  @Record public struct ParkOpened {\n"))
  }

  @Test func `a record that does not exist, an old version and another action are wrong usage`() async {
    let run = await CommandRun(for: ParkPlan.self, "schema", "new", "--changing", "Nothing")
    #expect(run.status == 64)
    #expect(run.errors.contains("has no record 'Nothing'"))
    let old = await CommandRun(for: ParkPlan.self, "schema", "new", "--version", "2.0.0")
    #expect(old.status == 64 && old.errors.contains("version 2.0.0 is not above 2.0.0"))
    #expect(await CommandRun(for: ParkPlan.self, "schema", "old").status == 64)
    #expect(await CommandRun(for: ParkPlan.self, "schema", "new", "--version", "x").status == 64)
  }

  @Test func `the check proposes names and constants, and still fails`() async {
    let run = await CommandRun(for: ShowPlan.self, "check", "--propose")
    #expect(run.status == 1)
    let proposed = run.output.components(separatedBy: "proposed for 1.0.0 -> 2.0.0:\n").last ?? ""
    let lines = proposed.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(
      lines == [
        "in the schema: @Field(originalName: \"name\") var guest: String?    // in 'Booked' of ShowV2, if it is `name` of ShowV1",
        "in the stage: Default(\\.booked, at: \\.seats.isBalcony, false)    // the value that older events have",
        "in the stage: Default(\\.booked, \\.`in`, …)    // choose the value that older events have",
        "in the stage: Default(\\.booked, \\.note, 0)    // the value that older events have",
        "in the schema: @Record(formerly: [\"Cancelled\"]) struct Withdrawn    // if 'Withdrawn' of ShowV2 is 'Cancelled' of ShowV1",
      ], "\(run.output)")
    let json = await CommandRun(for: ShowPlan.self, "check", "--propose", "--json")
    #expect(
      json.output.contains("\"proposed\":\"Default(\\\\.booked, \\\\.note, 0)\""), "\(json.output)")
  }

  @Test func `a plan without a finding has nothing to propose`() async {
    let run = await CommandRun(for: ParkPlan.self, "check", "--propose")
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("\nnothing to propose\n"), "\(run.output)")
  }
}
