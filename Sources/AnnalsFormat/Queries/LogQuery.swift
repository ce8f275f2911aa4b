public import AnnalsCoding
internal import AnnalsShapes

/// A selection of entries by record type and tag, as the log stores them.
///
/// ```swift
/// let query: LogQuery = [.init(types: ["StudentEnrolled"], tags: ["course:c1"]), .init(tags: ["student:s7"])]
/// ```
///
/// An entry matches if any item matches it. An item matches an entry that has any of its types and all of its
/// tags. Types are compared as they are stored: nothing is upcast. Stubs and system entries match nothing.
public struct LogQuery: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// One alternative of a query.
  public struct Item: Hashable, Sendable {
    /// The names of the record types, in any order and compared by their bytes; empty for every type.
    public var types: [String]
    /// The tags that an entry must have, all of them; empty for none.
    public var tags: Set<EventTag>

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - types: The names of the record types; empty for every type.
    ///   - tags: The tags that an entry must have, all of them.
    public init(types: [String] = [], tags: Set<EventTag> = []) {
      self.types = types
      self.tags = tags
    }

    /// The names as they are compared.
    private var names: Set<ExactText> { Set(types.map { ExactText($0) }) }

    /// Whether two items select the same types and tags.
    public static func == (left: Item, right: Item) -> Bool {
      left.tags == right.tags && left.names == right.names
    }

    /// Adds the types and the tags to a hash.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(tags)
      hasher.combine(names)
    }
  }

  /// The alternatives; a query without any matches nothing.
  public var items: [Item]

  /// Creates a query of these alternatives.
  public init(_ items: [Item]) {
    self.items = items
  }

  /// Creates a query of these alternatives.
  public init(arrayLiteral items: Item...) {
    self.items = items
  }

  /// Every entry.
  public static var all: LogQuery { [Item()] }
}

extension LogQuery: QueryForm {
  package func stored(_ kinds: KindRegistry) -> StoredQuery {
    StoredQuery(
      items.map { item in
        let names = Set(item.types.map { ExactText($0) })
        var wanted: WantedKinds?
        if !names.isEmpty {
          wanted = WantedKinds(count: kinds.kinds.keys.max()) { number in
            kinds.kinds[number].map { names.contains(ExactText($0.row.name)) } ?? false
          }
        }
        return StoredQuery.Item(kinds: wanted, tags: item.tags.sorted())
      })
  }

  /// The tags of all items.
  package var tags: QueryTags {
    var tags = QueryTags()
    for item in items { tags.add(item.tags) }
    return tags
  }

  /// The query as the selection of a read.
  package var source: QuerySource { QuerySource(tags, self) }
}
