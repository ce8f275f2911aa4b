internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Copies the chunks of tables that stages have computed. A new generation takes them over unchanged.
struct ContextCopy {
  /// The size in bytes of the chunks at which a transaction ends.
  private static let batchBytes = 16 << 20

  let source: Generation
  let target: PassTarget

  /// Copies every chunk that the new generation lacks.
  func run(_ durability: Durability) throws(AnnalsError) {
    let there = try target.read { (reader) throws(AnnalsError) in Set(try reader.chunkNames()) }
    // Only chunks of complete tables: an activation may be storing others, which it will miss and store
    // again.
    let names = try target.read { (reader) throws(AnnalsError) in
      try reader.contextTables().flatMap { table in table.firstKeys.indices.map { table.chunkName($0) } }
    }
    .filter { !there.contains($0) }
    var next = 0
    while next < names.count {
      try target.write(durability) { (transaction) throws(AnnalsError) in
        var size = 0
        while next < names.count, size < Self.batchBytes {
          let chunk = try source.read { (reader) throws(AnnalsError) in try reader.chunk(called: names[next])
          }
          try transaction.put(chunk, names[next], in: target.tables.meta)
          size += chunk.count
          next += 1
        }
      }
    }
  }
}
