internal import AnnalsCoding
internal import AnnalsSchema

/// The flags of a record type in a message, and the numbers of stabilities.
enum RecordFlag {
  static let version: UInt8 = 1
  static let shape: UInt8 = 2
  static let oldestReader: UInt8 = 4
  static let all = version | shape | oldestReader

  static func number(of stability: SchemaStability) -> UInt8 {
    switch stability {
    case .released: 0
    case .draft: 1
    case .bridge: 2
    }
  }

  static func stability(_ number: UInt8) -> SchemaStability? {
    switch number {
    case 0: .released
    case 1: .draft
    case 2: .bridge
    default: nil
    }
  }
}

/// The flags of an event in a message.
enum ItemFlag {
  static let id: UInt8 = 1
  static let metadata: UInt8 = 2
  static let time: UInt8 = 4
  static let tags: UInt8 = 8
  static let all = id | metadata | time | tags
}
