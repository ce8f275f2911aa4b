package import Annals
package import AnnalsTestSupport

/// Random types, tags and queries: few of each, so that queries match.
package enum TagChoice {
  private static let types = ["Enrolled", "Left", "Moved"]
  private static let tags: [EventTag] =
    (0..<6).map { EventTag("course:c\($0)") } + (0..<40).map { EventTag("student:s\($0)") } + ["café:ü"]

  package static func event(using random: inout SeededGenerator) -> TaggedCall.Event {
    TaggedCall.Event(
      type: types.randomElement(using: &random) ?? "",
      tags: some(of: tags, 0...3, using: &random))
  }

  package static func query(using random: inout SeededGenerator) -> LogQuery {
    LogQuery(
      (0..<Int.random(in: 0...3, using: &random)).map { _ in
        let isPlain = Int.random(in: 0..<10, using: &random) == 0
        return LogQuery.Item(
          types: some(of: types, 0...2, using: &random).sorted(),
          tags: isPlain ? [] : some(of: tags, 1...2, using: &random))
      })
  }

  private static func some<Value: Hashable>(
    of values: [Value], _ count: ClosedRange<Int>, using random: inout SeededGenerator
  ) -> Set<Value> {
    Set((0..<Int.random(in: count, using: &random)).compactMap { _ in values.randomElement(using: &random) })
  }
}
