/// A value of a binary property list, with the references that keyed archives have.
indirect enum PropertyList: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case data([UInt8])
  case text(String)
  /// A reference to an object of the archive.
  case uid(Int)
  case array([PropertyList])
  case dictionary([(key: String, value: PropertyList)])

  static func == (left: PropertyList, right: PropertyList) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)), (.date(let left), .date(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.text(let left), .text(let right)): left == right
    case (.uid(let left), .uid(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)):
      left.elementsEqual(right) { $0.key == $1.key && $0.value == $1.value }
    default: false
    }
  }

  /// The value of a key, if this is a dictionary that has it.
  subscript(key: String) -> PropertyList? {
    guard case .dictionary(let pairs) = self else { return nil }
    return pairs.first { $0.key == key }?.value
  }

  /// The text, if this is one.
  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The number, if this is a whole one.
  var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The elements, if this is an array.
  var array: [PropertyList]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

/// A reader of binary property lists, format version 00.
///
/// Foundation's reader does not return the references of keyed archives.
struct PropertyListReader {
  /// The bytes are no binary property list.
  struct Failure: Error, Equatable {
    let offset: Int
  }

  private let bytes: [UInt8]
  private var offsets: [Int] = []
  private var referenceSize = 0
  /// The number of values that may still be made, so that a small file cannot describe a huge value.
  private var remaining = 1_000_000

  /// Returns the value in `bytes`.
  ///
  /// - Throws: ``Failure`` with the offset of the first wrong byte.
  static func value(_ bytes: [UInt8]) throws(Failure) -> PropertyList {
    var reader = PropertyListReader(bytes: bytes)
    return try reader.top()
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func top() throws(Failure) -> PropertyList {
    guard bytes.count >= 40, bytes.starts(with: Array("bplist00".utf8)) else { throw Failure(offset: 0) }
    let trailer = bytes.count - 32
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let count = try number(at: trailer + 8, size: 8)
    let root = try number(at: trailer + 16, size: 8)
    let table = try number(at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count <= bytes.count,
      table <= trailer, count <= (trailer - table) / offsetSize, root < count
    else { throw Failure(offset: trailer) }
    for index in 0..<count {
      let offset = try number(at: table + index * offsetSize, size: offsetSize)
      guard offset < table else { throw Failure(offset: table + index * offsetSize) }
      offsets.append(offset)
    }
    return try object(root, depth: 0)
  }

  private mutating func object(_ index: Int, depth: Int) throws(Failure) -> PropertyList {
    guard index < offsets.count else { throw Failure(offset: 0) }
    let offset = offsets[index]
    remaining -= 1
    guard depth < 64, remaining > 0 else { throw Failure(offset: offset) }
    let (high, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
    switch (high, low) {
    case (0, 0): return .null
    case (0, 8): return .bool(false)
    case (0, 9): return .bool(true)
    case (1, 0...3):
      return .integer(Int64(bitPattern: try word(at: offset + 1, size: 1 << low)))
    case (1, 4):
      // Sixteen bytes, of which the upper half is an extension of the sign.
      return .integer(Int64(bitPattern: try word(at: offset + 9, size: 8)))
    case (2, 2):
      return .real(Double(Float(bitPattern: UInt32(try word(at: offset + 1, size: 4)))))
    case (2, 3): return .real(Double(bitPattern: try word(at: offset + 1, size: 8)))
    case (3, 3): return .date(Double(bitPattern: try word(at: offset + 1, size: 8)))
    case (8, _): return .uid(try number(at: offset + 1, size: low + 1))
    default: break
    }
    let (start, count) = try length(at: offset, low)
    switch high {
    case 4: return .data(Array(try slice(start, count)))
    case 5: return .text(String(decoding: try slice(start, count), as: UTF8.self))
    case 6:
      guard count <= bytes.count else { throw Failure(offset: offset) }
      let units = try slice(start, count * 2)
      return .text(
        String(
          decoding: stride(from: units.startIndex, to: units.endIndex, by: 2).map {
            UInt16(units[$0]) << 8 | UInt16(units[$0 + 1])
          }, as: UTF16.self))
    case 10, 12: return .array(try objects(start, count, depth))
    case 13:
      let keys = try objects(start, count, depth)
      let values = try objects(start + count * referenceSize, count, depth)
      return .dictionary(zip(keys, values).map { ($0.text ?? "", $1) })
    default: throw Failure(offset: offset)
    }
  }

  private mutating func objects(_ start: Int, _ count: Int, _ depth: Int) throws(Failure) -> [PropertyList] {
    guard count <= bytes.count, start <= bytes.count - count * referenceSize else {
      throw Failure(offset: start)
    }
    var objects: [PropertyList] = []
    for index in 0..<count {
      let reference = try number(at: start + index * referenceSize, size: referenceSize)
      objects.append(try object(reference, depth: depth + 1))
    }
    return objects
  }

  /// The start and the count of an object whose head is at `offset`.
  private func length(at offset: Int, _ low: Int) throws(Failure) -> (start: Int, count: Int) {
    guard low == 15 else { return (offset + 1, low) }
    let head = Int(try word(at: offset + 1, size: 1))
    guard head >> 4 == 1, head & 15 <= 3 else { throw Failure(offset: offset + 1) }
    let size = 1 << (head & 15)
    return (offset + 2 + size, try number(at: offset + 2, size: size))
  }

  private func slice(_ start: Int, _ count: Int) throws(Failure) -> ArraySlice<UInt8> {
    guard count >= 0, start <= bytes.count, count <= bytes.count - start else { throw Failure(offset: start) }
    return bytes[start..<start + count]
  }

  private func word(at offset: Int, size: Int) throws(Failure) -> UInt64 {
    try slice(offset, size).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A number that counts or refers to bytes; larger ones cannot be right.
  private func number(at offset: Int, size: Int) throws(Failure) -> Int {
    guard let number = Int(exactly: try word(at: offset, size: size)), number < 1 << 40 else {
      throw Failure(offset: offset)
    }
    return number
  }
}
