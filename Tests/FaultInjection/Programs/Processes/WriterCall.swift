package import Annals

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An append call of a writer. Its events follow from the writer, the number and the parts alone.
package struct WriterCall: Sendable {
  /// Events for one stream.
  package struct Part: Sendable {
    package let stream: String
    package let count: Int
    package let expectation: Expectation
  }

  package let writer: Int
  package let number: Int
  package let parts: [Part]

  /// The call of these parts.
  package init(writer: Int, number: Int, parts: [Part]) {
    self.writer = writer
    self.number = number
    self.parts = parts
  }

  /// The stream of each event, in order.
  package var streams: [String] {
    parts.flatMap { part in Array(repeating: part.stream, count: part.count) }
  }

  /// The id of the event `index`, which encodes its place.
  package func id(_ index: Int) -> UUID {
    Self.id(writer: writer, call: number, index: index)
  }

  private static func id(writer: Int, call: Int, index: Int) -> UUID {
    func byte(_ number: Int, _ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return UUID(
      uuid: (
        0xfa, 0, byte(writer, 1), byte(writer, 0), byte(call, 3), byte(call, 2), byte(call, 1), byte(call, 0),
        0, 0, 0, 0, 0, 0, byte(index, 1), byte(index, 0)
      ))
  }

  /// The writer, call and index that an id encodes.
  package static func place(of id: UUID) -> (writer: Int, call: Int, index: Int)? {
    let bytes = id.uuid
    let writer = Int(bytes.2) << 8 | Int(bytes.3)
    let call = Int(bytes.4) << 24 | Int(bytes.5) << 16 | Int(bytes.6) << 8 | Int(bytes.7)
    let index = Int(bytes.14) << 8 | Int(bytes.15)
    return Self.id(writer: writer, call: call, index: index) == id ? (writer, call, index) : nil
  }

  /// The payload of the event `index`; sometimes it takes pages of its own.
  package func payload(_ index: Int) throws -> Payload {
    let size = (number * 7 + index) % 11 == 10 ? 6_000 : (number * 13 + index * 5) % 90
    return try Payload([
      "text": .text(String(repeating: Character(UnicodeScalar(UInt8(97 + number % 26))), count: size)),
      "who": .text("\(writer) \(number) \(index)"),
    ])
  }

  /// The events for the log, part by part.
  package func entries() throws -> [[NewEntry]] {
    var index = 0
    return try parts.map { part in
      try (0..<part.count).map { _ in
        defer { index += 1 }
        return NewEntry(type: "Noted", version: nil, payload: try payload(index), id: id(index))
      }
    }
  }
}

extension WriterCall.Part {
  /// The part in a journal: stream, count and expectation.
  package var text: String {
    let expected =
      switch expectation {
      case .any: "*"
      case .noStream: "-"
      case .exists: "+"
      case .revision(let revision): "\(revision)"
      }
    return "\(stream):\(count):\(expected)"
  }

  /// The part of this stream.
  package init(_ stream: String, count: Int, _ expectation: Expectation) {
    self.init(stream: stream, count: count, expectation: expectation)
  }

  /// The part that `text` describes.
  package init?(_ text: String) {
    let fields = text.split(separator: ":").map(String.init)
    guard fields.count == 3, let count = Int(fields[1]) else { return nil }
    switch fields[2] {
    case "*": self.init(fields[0], count: count, .any)
    case "-": self.init(fields[0], count: count, .noStream)
    case "+": self.init(fields[0], count: count, .exists)
    default:
      guard let revision = UInt64(fields[2]) else { return nil }
      self.init(fields[0], count: count, .revision(Revision(revision)))
    }
  }
}
