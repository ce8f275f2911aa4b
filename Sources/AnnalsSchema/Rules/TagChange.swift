package import AnnalsCoding

/// What a stage makes of the tags of one entry.
package struct TagChange: Hashable, Sendable {
  /// The names of the tags that are computed again.
  package var names: Set<ExactText> = []
  /// The tags that the entry gets for these names.
  package var tags: Set<EventTag> = []

  package init() {}

  /// Adds the tags of one event of the entry.
  ///
  /// - Parameters:
  ///   - tags: The tags that the event declares; those with other names are left out.
  ///   - names: The names of the tags that are computed again for its record.
  package mutating func add(_ tags: [EventTag], named names: Set<ExactText>) {
    self.names.formUnion(names)
    for tag in tags where names.contains(tag.name) { self.tags.insert(tag) }
  }

  /// Returns the tags of an entry after the change: tags with other names stay.
  ///
  /// - Returns: The tags in the order of their bytes, each once.
  package func applied(to old: [EventTag]) -> [EventTag] {
    tags.union(old.filter { !names.contains($0.name) }).sorted()
  }
}
