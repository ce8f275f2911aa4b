internal import AnnalsShapes

/// The record types of a call, as a message has them.
struct RecordList: Sendable {
  /// The number of lists that are remembered, and the most bytes of one.
  static let most = 16
  static let longest = 4_096

  /// The bytes in the message, with the number of record types.
  let bytes: [UInt8]
  let records: [RecordKind]
  /// Whether events may have the names of all of them.
  let isNamed: Bool
}
