/// What the reply subject of a delivered message says of it.
struct DeliveryPlace: Equatable, Sendable {
  /// The name of the broker's consumer that sent it.
  let consumer: String
  /// The sequence in the log.
  let sequence: UInt64
  /// How many messages the subscription was sent before and with this one.
  let count: UInt64
  /// When the broker stored it, in nanoseconds since 1970.
  let nanoseconds: Int64

  /// Reads a subject; `nil` if it is not that of a delivered message.
  ///
  /// It is `$JS.ACK.STREAM.CONSUMER.TRIES.SEQUENCE.COUNT.TIME.REST`. Newer servers add a domain and an
  /// account in front of the stream, and may add words at the end.
  init?(_ subject: String) {
    let words = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard words.count >= 9, words[0].elementsEqual("$JS".utf8), words[1].elementsEqual("ACK".utf8) else {
      return nil
    }
    let first = words.count == 9 ? 5 : 7
    guard words.count == 9 || words.count >= 11, let sequence = Self.number(words[first]),
      let count = Self.number(words[first + 1]), let time = Self.number(words[first + 2]),
      let nanoseconds = Int64(exactly: time)
    else { return nil }
    consumer = String(Substring(words[first - 2]))
    self.sequence = sequence
    self.count = count
    self.nanoseconds = nanoseconds
  }

  private static func number(_ word: Substring.UTF8View) -> UInt64? { UInt64(Substring(word)) }
}
