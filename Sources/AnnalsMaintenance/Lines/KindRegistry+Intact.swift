internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

extension KindRegistry {
  /// Reads the rows of `schemas` and `kinds` that a file has on sound pages, without LMDB.
  ///
  /// - Throws: ``StoreFileError``, `damaged` if the pages that list the tables are.
  init(intactIn name: String, _ directory: Directory) throws(StoreFileError) {
    self.init()
    try eachIntact(of: "schemas", name, directory) { (registry, key, value) throws(FormatFailure) in
      if let ordinal = UInt16(exactly: key) { registry.take(ordinal: ordinal, try SchemaRow(value)) }
    }
    try eachIntact(of: "kinds", name, directory) { (registry, key, value) throws(FormatFailure) in
      if let kind = UInt32(exactly: key), (1...KindRow.maximum).contains(kind) {
        try registry.take(kind: kind, try KindRow(value))
      }
    }
  }

  private mutating func eachIntact(
    of table: String, _ name: String, _ directory: Directory,
    _ take: (inout KindRegistry, UInt64, Span<UInt8>) throws(FormatFailure) -> Void
  ) throws(StoreFileError) {
    var rows = try IntactRows(TableDefinition(table, integerKeys: true), of: name, in: directory)
    var next: UInt64 = 0
    while true {
      let last: UInt64
      switch rows.next(from: next) {
      case .row(let key, let value):
        last = key
        do throws(FormatFailure) {
          let span = value.span
          try take(&self, key, span.extracting(try Row.open(span, key: key)))
        } catch {
          // An entry of this kind is written without its type.
        }
      case .damage(let through, _): last = through
      case .end: return
      }
      guard last < .max else { return }
      next = last + 1
    }
  }
}
