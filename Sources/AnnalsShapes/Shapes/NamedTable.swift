internal import AnnalsCoding

/// A shape as rows of plain numbers, made once, so that reading and writing by name touches no reference
/// counts.
final class NamedTable: Sendable {
  /// A type of the shape.
  struct Row: BitwiseCopyable, Sendable {
    /// The kind of type, except those that have rows of their own.
    enum Kind: UInt8, BitwiseCopyable, Sendable {
      case bool, integer, float, double, text, bytes, date, uuid, url, decimal, codable, any
      case optional, list, set, map, pairs, record, choice, nothing
    }
    var kind: Kind
    /// The type inside, the first field or case, or the number of the type of whole numbers.
    var first: Int32 = 0
    /// The type of the values of a map, or the number of fields or cases.
    var second: Int32 = 0
    /// For a choice: whether some case has values.
    var holdsValues = false
  }
  /// A field, or an associated value of a case.
  struct Field: BitwiseCopyable, Sendable {
    let name: Name
    let type: Int32
  }
  /// A case and the row of its values, which is that of a record.
  struct Case: BitwiseCopyable, Sendable {
    let name: Name
    let values: Int32
  }
  /// The range of an encoded name in the pool.
  struct Name: BitwiseCopyable, Sendable {
    let start: Int32
    let end: Int32
  }

  let rows: [Row]
  let fields: [Field]
  /// The same numbers of fields, those of each record sorted by their encoded names.
  let sorted: [Int32]
  let cases: [Case]
  let pool: [UInt8]

  /// Creates the rows of `shape`, the record first.
  init(_ shape: RecordShape) {
    let graph = ShapeGraph(shape)
    var rows: [Row] = graph.nodes.map { _ in Row(kind: .nothing) }
    var fields: [Field] = []
    var sorted: [Int32] = []
    var cases: [Case] = []
    var pool: [UInt8] = []
    func name(_ name: String) -> Name {
      let start = pool.count
      pool.appendText(name)
      return Name(start: Int32(clamping: start), end: Int32(clamping: pool.count))
    }
    func record(_ parts: [ShapeGraph.Field]) -> Row {
      let first = fields.count
      for part in parts { fields.append(Field(name: name(part.name), type: Int32(clamping: part.type))) }
      let keys = pool
      sorted += (first..<fields.count).sorted { left, right in
        let (left, right) = (fields[left].name, fields[right].name)
        return keys.span.order(
          of: Int(left.start)..<Int(left.end), against: Int(right.start)..<Int(right.end)) < 0
      }.map { Int32(clamping: $0) }
      return Row(kind: .record, first: Int32(clamping: first), second: Int32(clamping: parts.count))
    }
    for (number, node) in graph.nodes.enumerated() {
      switch node {
      case .scalar: rows[number] = Self.scalar(graph.shapes[number])
      case .optional(let inner): rows[number] = Row(kind: .optional, first: Int32(clamping: inner))
      case .list(let inner): rows[number] = Row(kind: .list, first: Int32(clamping: inner))
      case .set(let inner): rows[number] = Row(kind: .set, first: Int32(clamping: inner))
      case .map(let key, let value):
        rows[number] = Row(
          kind: graph.shapes[key] == .text ? .map : .pairs, first: Int32(clamping: key),
          second: Int32(clamping: value))
      case .record(let parts): rows[number] = record(parts)
      case .choice(let parts):
        rows[number] = Row(
          kind: .choice, first: Int32(clamping: cases.count), second: Int32(clamping: parts.count),
          holdsValues: parts.contains { !$0.values.isEmpty })
        for part in parts {
          rows.append(record(part.values))
          cases.append(Case(name: name(part.name), values: Int32(clamping: rows.count - 1)))
        }
      case .nothing: break
      }
    }
    self.rows = rows
    self.fields = fields
    self.sorted = sorted
    self.cases = cases
    self.pool = pool
  }

  private static func scalar(_ shape: ValueShape) -> Row {
    switch shape {
    case .bool: Row(kind: .bool)
    case .integer(let integer):
      Row(kind: .integer, first: Int32(clamping: IntegerShape.allCases.firstIndex(of: integer) ?? 0))
    case .float: Row(kind: .float)
    case .double: Row(kind: .double)
    case .text: Row(kind: .text)
    case .bytes: Row(kind: .bytes)
    case .date: Row(kind: .date)
    case .uuid: Row(kind: .uuid)
    case .url: Row(kind: .url)
    case .decimal: Row(kind: .decimal)
    case .codable: Row(kind: .codable)
    case .any: Row(kind: .any)
    default: Row(kind: .nothing)
    }
  }

  /// Returns a name of the pool as text, for messages.
  func text(_ name: Name) -> String {
    // The first byte of a short text has its length; longer names have a byte or two more.
    let bytes = pool[Int(name.start)..<Int(name.end)]
    let head = bytes.count <= 24 ? 1 : bytes.count <= 257 ? 2 : bytes.count <= 65_538 ? 3 : 5
    return String(decoding: bytes.dropFirst(head), as: UTF8.self)
  }
}
