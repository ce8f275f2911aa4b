import Annals

/// A log in memory: the right answers of queries and conditions.
struct TagModel {
  struct Event: Equatable {
    var position: UInt64
    var stream: StreamName
    var type: String
    var tags: Set<EventTag>
    var isErased = false
  }

  var events: [Event] = []

  /// Whether an event matches a query.
  static func matches(_ event: Event, _ query: LogQuery) -> Bool {
    !event.isErased
      && query.items.contains { item in
        (item.types.isEmpty || item.types.contains(event.type)) && item.tags.isSubset(of: event.tags)
      }
  }

  /// The positions of the events that match a query, in the order of a read.
  func positions(
    matching query: LogQuery, after: UInt64? = nil, from start: UInt64? = nil, through end: UInt64? = nil,
    backwards: Bool = false, limit: Int = .max
  ) -> [UInt64] {
    let found = events.filter { event in
      let position = event.position
      guard Self.matches(event, query) else { return false }
      if backwards {
        return after.map { position < $0 } ?? true && start.map { position <= $0 } ?? true
          && end.map { position >= $0 } ?? true
      }
      return after.map { position > $0 } ?? true && start.map { position >= $0 } ?? true
        && end.map { position <= $0 } ?? true
    }.map(\.position)
    return Array((backwards ? found.reversed() : found).prefix(limit))
  }

  /// The first event after a position that matches a query.
  func firstMatch(of query: LogQuery, after position: UInt64?) -> UInt64? {
    positions(matching: query, after: position ?? 0).first
  }
}

/// Random types, tags and queries. Few of each, so that queries match.
struct TagSamples {
  static let types = ["Enrolled", "Left", "Moved"]
  static let tags: [EventTag] =
    (0..<4).map { EventTag("course:c\($0)") } + (0..<6).map { EventTag("student:s\($0)") } + [
      "rare", "café:ü",
    ]

  static func tags(using random: inout SeededGenerator) -> Set<EventTag> {
    var tags: Set<EventTag> = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      if let tag = Self.tags.randomElement(using: &random) { tags.insert(tag) }
    }
    return tags
  }

  static func query(using random: inout SeededGenerator) -> LogQuery {
    var query: LogQuery = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      var item = LogQuery.Item()
      if Bool.random(using: &random) {
        item.types = (0..<Int.random(in: 1...2, using: &random)).map { _ in
          types.randomElement(using: &random) ?? ""
        }
      }
      if Int.random(in: 0..<4, using: &random) > 0 {
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          if let tag = Self.tags.randomElement(using: &random) { item.tags.insert(tag) }
        }
      }
      query.items.append(item)
    }
    return query
  }
}
