package import AnnalsCoding

/// Finds the alternatives of a query that an event may match by its tags.
///
/// Without it, a read of as many events as the query has alternatives would take the square of their number.
package struct ItemIndex: Sendable {
  /// The number of alternatives up to which each is compared.
  private static let few = 16

  /// The numbers of the alternatives by one of their tags, which few others have.
  private var byTag: [EventTag: [Int]] = [:]
  /// The numbers of the alternatives without tags.
  private var untagged: [Int] = []
  /// Whether the alternatives are so many that it is better to ask for ``candidates(for:)``.
  package let isUsed: Bool

  /// Creates the index of `count` alternatives.
  ///
  /// - Parameter tags: Returns the tags of an alternative.
  package init<Tags: Collection<EventTag>>(_ count: Int, _ tags: (Int) -> Tags) {
    isUsed = count > Self.few
    guard isUsed else { return }
    var uses: [EventTag: Int] = [:]
    for number in 0..<count { for tag in tags(number) { uses[tag, default: 0] += 1 } }
    for number in 0..<count {
      if let rarest = tags(number).min(by: { uses[$0, default: 0] < uses[$1, default: 0] }) {
        byTag[rarest, default: []].append(number)
      } else {
        untagged.append(number)
      }
    }
  }

  /// Returns the numbers of the alternatives that an event with these tags may match.
  package func candidates(for tags: [EventTag]) -> [Int] {
    tags.reduce(into: untagged) { $0 += byTag[$1] ?? [] }
  }
}
