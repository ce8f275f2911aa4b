internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

extension SharedQuery {
  /// Reads the query of a condition.
  init(_ reader: inout ByteReader) throws(FormatFailure) {
    self.init([])
    for _ in 0..<(try reader.count(of: 2)) {
      let start = reader.offset
      let flags = try reader.byte()
      guard flags <= 3 else { throw FormatFailure(.value, at: start) }
      var types: Set<StoredType>?
      if flags & 1 != 0 {
        var found: Set<StoredType> = []
        for _ in 0..<(try reader.count(of: 2)) { found.insert(try StoredType(&reader)) }
        types = found
      }
      let newerThan = flags & 2 == 0 ? nil : try reader.version()
      var tags: [EventTag] = []
      for _ in 0..<(try reader.count(of: 2)) {
        let tag = EventTag(try reader.countedText())
        guard NameRule.allows(tag.text), tags.last.map({ $0 < tag }) ?? true else {
          throw FormatFailure(.text, at: start)
        }
        tags.append(tag)
      }
      items.append(Item(types: types, newerThan: newerThan, tags: tags))
    }
  }
}

extension SharedQuery.StoredType {
  fileprivate init(_ reader: inout ByteReader) throws(FormatFailure) {
    let name = ExactText(try reader.countedText())
    let start = reader.offset
    switch try reader.byte() {
    case 0: self.init(name: name, versions: .all)
    case 1: self.init(name: name, versions: .none)
    case 2: self.init(name: name, versions: .only(try reader.version()))
    default: throw FormatFailure(.value, at: start)
    }
  }
}
