#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One line of a history: a process begins an operation on a stream, or learns its outcome.
///
/// As text it is a JSON object:
/// `{"process":p,"type":"invoke|ok|fail|info","f":"append|read","key":STREAM,"value":…}`. A length is the
/// number of entries in the stream, and therefore the revision of the next one.
public struct HistoryLine: Hashable, Sendable {
  /// What the line says of the operation.
  public enum Kind: String, Codable, Sendable {
    /// It begins.
    case invoke
    /// It was done.
    case ok
    /// It was refused and did nothing.
    case fail
    /// Nobody knows whether it was done, or ever will be.
    case info
  }

  /// Which operation it is.
  public enum Function: String, Codable, Sendable {
    case append, read
  }

  /// What an operation is given, or gives.
  public enum Value: Hashable, Sendable {
    /// Nothing: a read that begins, or whose end is unknown.
    case nothing
    /// An append that begins, or whose end is unknown: its number of entries, and the expected length or
    /// `nil`.
    case asked(count: Int, expect: Int?)
    /// A successful append: the length after it.
    case next(Int)
    /// An append that was refused: the length that the stream has instead.
    case actual(Int)
    /// A read that was done: the length that was found.
    case length(Int)
  }

  /// The number of the process, which does one operation after the other.
  public var process: Int
  /// What the line says of the operation.
  public var type: Kind
  /// Which operation it is.
  public var function: Function
  /// The name of the stream.
  public var key: String
  /// What the operation is given, or gives.
  public var value: Value

  /// The line with these parts.
  public init(process: Int, type: Kind, function: Function, key: String, value: Value) {
    self.process = process
    self.type = type
    self.function = function
    self.key = key
    self.value = value
  }

  /// The line that the JSON object `text` says.
  ///
  /// - Throws: `DecodingError` where it is no such object.
  public init(_ text: some StringProtocol) throws {
    self = try JSONDecoder().decode(HistoryLine.self, from: Data(text.utf8))
  }

  /// The line as a JSON object, without a line break.
  public func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension HistoryLine: Codable {
  private enum Field: String, CodingKey {
    case process, type, f, key, value, count, expect, next, actual, length
  }

  /// The line that a JSON object says.
  public init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: Field.self)
    process = try line.decode(Int.self, forKey: .process)
    type = try line.decode(Kind.self, forKey: .type)
    function = try line.decode(Function.self, forKey: .f)
    key = try line.decode(String.self, forKey: .key)
    if function == .read, type != .ok {
      value = .nothing
      return
    }
    let value = try line.nestedContainer(keyedBy: Field.self, forKey: .value)
    switch (function, type) {
    case (.read, _): self.value = .length(try value.decode(Int.self, forKey: .length))
    case (.append, .ok): self.value = .next(try value.decode(Int.self, forKey: .next))
    case (.append, .fail): self.value = .actual(try value.decode(Int.self, forKey: .actual))
    case (.append, .invoke), (.append, .info):
      self.value = .asked(
        count: try value.decode(Int.self, forKey: .count),
        expect: try value.decode(Int?.self, forKey: .expect))
    }
  }

  /// Writes the line as an object.
  public func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Field.self)
    try line.encode(process, forKey: .process)
    try line.encode(type, forKey: .type)
    try line.encode(function, forKey: .f)
    try line.encode(key, forKey: .key)
    guard value != .nothing else { return try line.encodeNil(forKey: .value) }
    var value = line.nestedContainer(keyedBy: Field.self, forKey: .value)
    switch self.value {
    case .nothing: break
    case .asked(let count, let expect):
      try value.encode(count, forKey: .count)
      // Written out where it is null.
      try value.encode(expect, forKey: .expect)
    case .next(let length): try value.encode(length, forKey: .next)
    case .actual(let length): try value.encode(length, forKey: .actual)
    case .length(let length): try value.encode(length, forKey: .length)
    }
  }
}
