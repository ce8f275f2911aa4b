internal import Synchronization

/// What identifies a server's copy of a message: two servers that name the same have the same message.
struct CopyMark: Equatable, Sendable {
  /// The sequence in the log.
  var sequence: UInt64
  /// When the broker stored it, in nanoseconds since 1970.
  var nanoseconds: Int64
  /// The id that its writer gave it. Messages of one id have the same contents.
  var id: String?
  /// The bytes of its contents.
  var size: Int
}

/// The last message that most of the servers were known to have, for every subscription to a log.
final class LastMark: Sendable {
  private let mark: Mutex<CopyMark?> = Mutex(nil)

  /// Takes a message, unless a later one is known.
  func raise(_ new: CopyMark) {
    mark.withLock { mark in
      if mark.map({ $0.sequence < new.sequence }) ?? true { mark = new }
    }
  }

  /// The message, if it has this sequence.
  func value(at sequence: UInt64) -> CopyMark? {
    mark.withLock { $0?.sequence == sequence ? $0 : nil }
  }
}

/// The copies that another server says it has, compared with the messages that one delivers.
///
/// A message counts once most of the servers that keep the log have the same at its sequence. A server writes
/// each sequence once, so no two messages of one sequence can both count, whatever servers agree on among
/// themselves after a crash.
struct CopyMarks: Sendable {
  /// What the server says of a message.
  enum Answer: Equatable, Sendable {
    /// It has the same.
    case same
    /// It has another one, or none.
    case different
    /// It has not said anything yet.
    case nothing
  }

  private var marks: [CopyMark] = []
  /// The number of elements at the beginning of `marks` that were used.
  private var head = 0
  private var count: UInt64 = 0

  /// Takes what the server says of its next message.
  ///
  /// - Parameters:
  ///   - mark: The message.
  ///   - count: How many messages the server has sent before and with this one.
  /// - Returns: `false` if one was lost on the way, so that the server has to be asked again.
  mutating func add(_ mark: CopyMark, count: UInt64) -> Bool {
    guard count == self.count + 1 else { return false }
    self.count = count
    marks.append(mark)
    return true
  }

  /// Whether the server has said something of a message after a sequence.
  func isKnown(after sequence: UInt64) -> Bool {
    marks.last.map { $0.sequence > sequence } ?? false
  }

  /// Compares a message with the server's, which may be repeated.
  ///
  /// - Parameters:
  ///   - mark: The message.
  ///   - sequence: The one before it. Messages between them are removed.
  mutating func answer(on mark: CopyMark, after sequence: UInt64) -> Answer {
    while head < marks.count, marks[head].sequence <= sequence { head += 1 }
    if head == marks.count || head > 4_096 {
      marks.removeFirst(head)
      head = 0
    }
    guard head < marks.count else { return .nothing }
    return marks[head] == mark ? .same : .different
  }
}
