/// The names of streams met while reading, kept so that the next entry of the same stream need not read its first one.
struct StreamNames: Sendable {
  private static let limit = 10_000
  private var names: [Position: StreamName] = [:]

  /// The name of the stream whose first entry is at `id`.
  mutating func name(of id: Position, _ reader: StoreReader) throws(AnnalsError) -> StreamName {
    if let known = names[id] { return known }
    let name = try reader.name(of: id)
    // Emptied rather than trimmed: a reader that meets this many streams gains little from any of them.
    if names.count >= Self.limit { names.removeAll(keepingCapacity: true) }
    names[id] = name
    return name
  }
}
