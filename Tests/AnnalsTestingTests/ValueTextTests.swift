import Annals
import AnnalsTesting
import Foundation
import Testing

/// How values read in the messages of failed tests.
@Suite struct ValueTextTests {
  /// The text of an event in the message of a failed test.
  private func text(_ event: Things.Event) throws -> String {
    let mismatch = #expect(throws: RuleMismatch.self) {
      try Given(event).when(ThingsPlan.self).thenDropped()
    }
    let lines = try #require(mismatch).description.split(separator: "\n")
    return String(try #require(lines.last)).trimmingCharacters(in: .whitespaces)
  }

  @Test func `fields have the names that they have on disk`() throws {
    #expect(
      try text(.plain(.init(count: -3, text: "a \"b\"", maybe: nil)))
        == #"thing(n: -3, text: "a \"b\"", maybe: nil)"#)
  }

  @Test func `numbers that are none say which they are`() throws {
    #expect(try text(.number(.init(value: .nan))) == "Number(value: nan:7ff8000000000000)")
    #expect(try text(.number(.init(value: -0.0))) == "Number(value: -0.0)")
  }

  @Test func `values inside values are written out`() throws {
    let event = Things.Event.nested(
      .init(
        points: [.init(x: 1, y: 2)], byName: ["a": .init(x: 0, y: 0)], byNumber: [7: true],
        names: ["b", "a"],
        bytes: Data([0, 255])))
    #expect(
      try text(event)
        == #"Nested(points: [(x: 1, y: 2)], byName: ["a": (x: 0, y: 0)], byNumber: [7: true], names: ["a", "b"], bytes: <00ff>)"#
    )
  }

  @Test func `cases are called by their names`() throws {
    #expect(try text(.tree(.init(root: .leaf))) == "Tree(root: .leaf)")
    #expect(
      try text(.tree(.init(root: .node(left: .leaf, .node(left: .leaf, .leaf)))))
        == "Tree(root: .node(left: .leaf, _1: .node(left: .leaf, _1: .leaf)))")
  }

  @Test func `a value stored by name is a map`() throws {
    #expect(try text(.byName(.init(list: [1, 2], text: "t"))) == #"ByName{"list": [1, 2], "text": "t"}"#)
  }
}

@Schema(1, 0, 0) private enum Things {
  @Record("thing") fileprivate struct Plain {
    @Field("n") var count: Int
    var text: String
    var maybe: Double?
  }
  @Record fileprivate struct Number { var value: Double }
  @Record fileprivate struct Nested {
    var points: [Point]
    var byName: [String: Point]
    var byNumber: [Int: Bool]
    var names: Set<String>
    var bytes: Data
  }
  @Record fileprivate struct Tree { var root: Node }
  fileprivate struct ByName: Record, Codable {
    var list: [Int]
    var text: String
  }
  @Value fileprivate struct Point {
    var x: Int
    var y: Int
  }
  @Value indirect fileprivate enum Node {
    case leaf
    case node(left: Node, Node)
  }
}

private enum ThingsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Things, Things> {}
}
