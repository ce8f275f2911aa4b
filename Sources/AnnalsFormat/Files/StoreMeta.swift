package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The rows of `meta`: the properties of a generation as a whole. The key of each row is its name.
package struct StoreMeta: Equatable, Sendable {
  /// The format of this library's stores.
  package static let format: UInt32 = 1
  /// A number whose bytes show the byte order of a machine.
  package static let endianness: UInt64 = 0x0102_0304_0506_0708
  /// The window of a store in which no stream has got an id twice. A shorter one lets a late retry do that.
  package static let widest = FormatRange.windows.upperBound

  /// The state of a generation, which decides its permitted uses.
  package enum State: Equatable, Sendable {
    /// A pass is building it.
    case building(pass: UUID)
    /// It takes appends.
    case live
    /// It takes appends only after a switch is accepted.
    case appendsSuspended
    /// Another generation succeeds it.
    case sealed(Seal)
  }

  /// The names of the rows.
  package enum Name: String, CaseIterable {
    case format, endianness, log, generation, state, epoch, schemaEpoch, first, checkpoint, window, positions
    case requires, incarnation
  }

  /// The id that all copies and generations of one log share.
  package var log: UUID
  /// The number of this generation, from 1; never used twice.
  package var generation: UInt64 = 1
  /// The state of the generation.
  package var state: State = .live
  /// The epoch, which rises with each seal and unseal.
  package var epoch: UInt64 = 0
  /// The number of activations of schema versions.
  package var schemaEpoch: UInt64 = 0
  /// The number of restores of the log from a backup, and the position after which the last one branched off.
  package var incarnation: (number: UInt64, branch: UInt64) = (0, 0)
  /// The first position that the log still holds.
  package var first: Position = 1
  /// The position up to which `streams` and `heads` are written.
  package var checkpoint: UInt64 = 0
  /// The number of a stream's newest entries that are searched for an event id.
  package var window: UInt64 = 64
  /// Whether positions have no gaps.
  package var isDense = true
  /// The features that a program must know, by name.
  package var requires: [Requirement] = []

  package static func == (left: StoreMeta, right: StoreMeta) -> Bool {
    left.rows().elementsEqual(right.rows(), by: ==)
  }

  /// A feature that a program must know to use the store.
  package struct Requirement: Equatable, Sendable {
    /// The feature's name.
    package var name: String
    /// Whether reading needs it too, not only writing.
    package var isForReading: Bool

    package init(name: String, isForReading: Bool) {
      self.name = name
      self.isForReading = isForReading
    }
  }

  package init(log: UUID) {
    self.log = log
  }
}

extension StoreMeta.Requirement {
  /// Rows of `kinds` that name the oldest version whose programs read them.
  package static let readers = StoreMeta.Requirement(name: "readers", isForReading: true)
  /// Inline projections, which programs that append must know of.
  package static let inline = StoreMeta.Requirement(name: "inline", isForReading: false)
  /// A journal, in which the last durable commit may be.
  package static let journal = StoreMeta.Requirement(name: "journal", isForReading: true)
  /// Records of the journal with a hash.
  package static let journalHash = StoreMeta.Requirement(name: "journal-hash", isForReading: true)
  /// Rows of a table of groups for entries that could not be read when the stage was activated.
  package static let unreadGroups = StoreMeta.Requirement(name: "unread-groups", isForReading: true)
  /// The times of commits.
  package static let times = StoreMeta.Requirement(name: "times", isForReading: false)
  /// Entries that refer to attachments, whose contents are in files of their own.
  package static let attachments = StoreMeta.Requirement(name: "attachments", isForReading: false)
  /// Events with tags, whose newest entries are in a table of their own.
  package static let tags = StoreMeta.Requirement(name: "tags", isForReading: true)
  /// Kinds with encrypted fields.
  package static let personal = StoreMeta.Requirement(name: "personal", isForReading: true)
  /// Changes that come from the log of a cluster alone.
  package static let cluster = StoreMeta.Requirement(name: "cluster", isForReading: false)
  /// Entries with their original types, which conditions of a cluster compare.
  package static let originals = StoreMeta.Requirement(name: "originals", isForReading: false)
  /// System entries, and streams that are closed or truncated.
  package static let streams = StoreMeta.Requirement(name: "streams", isForReading: true)
}

extension StoreMeta {
  /// The rows as name and value, without checksums.
  package func rows() -> [(name: Name, value: [UInt8])] {
    Name.allCases.map { ($0, value(of: $0)) }
  }

  /// The value of the row called `name`.
  package func value(of name: Name) -> [UInt8] {
    var bytes: [UInt8] = []
    switch name {
    case .format: bytes.append(littleEndian: Self.format)
    case .endianness: bytes.append(littleEndian: Self.endianness)
    case .log: bytes = log.bytes
    case .generation: bytes.append(varint: generation)
    case .state:
      switch state {
      case .building(let pass): bytes = [0] + pass.bytes
      case .live: bytes = [1]
      case .appendsSuspended: bytes = [2]
      case .sealed(let seal):
        bytes = [3]
        seal.append(to: &bytes)
      }
    case .epoch: bytes.append(varint: epoch)
    case .schemaEpoch: bytes.append(varint: schemaEpoch)
    case .first: bytes.append(varint: first.rawValue)
    case .checkpoint: bytes.append(varint: checkpoint)
    case .window: bytes.append(varint: window)
    case .positions: bytes = [isDense ? 1 : 0]
    case .incarnation:
      bytes.append(varint: incarnation.number)
      bytes.append(varint: incarnation.branch)
    case .requires:
      bytes.append(varint: UInt64(requires.count))
      for requirement in requires {
        bytes.append(requirement.isForReading ? 1 : 0)
        bytes.append(counted: requirement.name.utf8)
      }
    }
    return bytes
  }

  /// Takes the value of the row called `name`.
  package mutating func set(_ name: Name, to bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    switch name {
    case .format:
      guard try reader.littleEndian(UInt32.self) == Self.format else {
        throw FormatFailure(.laterFormat, at: 0)
      }
    case .endianness:
      guard try reader.littleEndian(UInt64.self) == Self.endianness else {
        throw FormatFailure(.value, at: 0)
      }
    case .log: log = try reader.uuid()
    case .generation: generation = try reader.number(in: FormatRange.generations)
    case .state:
      switch try reader.byte() {
      case 0: state = .building(pass: try reader.uuid())
      case 1: state = .live
      case 2: state = .appendsSuspended
      case 3: state = .sealed(try Seal(&reader))
      default: throw FormatFailure(.value, at: 0)
      }
    case .epoch: epoch = try reader.number()
    case .schemaEpoch: schemaEpoch = try reader.number()
    case .first: first = Position(try reader.number(in: FormatRange.positions))
    case .checkpoint: checkpoint = try reader.number()
    case .window: window = try reader.number(in: FormatRange.windows)
    case .positions: isDense = try reader.flag()
    case .incarnation: incarnation = (try reader.number(), try reader.number())
    case .requires:
      requires = try Self.requirements(bytes)
      return
    }
    try reader.finish()
  }

  /// Reads the value of the row `requires`.
  package static func requirements(_ bytes: Span<UInt8>) throws(FormatFailure) -> [Requirement] {
    var reader = ByteReader(bytes)
    var requires: [Requirement] = []
    for _ in 0..<(try reader.varint()) {
      let isForReading = try reader.flag()
      requires.append(Requirement(name: try reader.countedText(), isForReading: isForReading))
    }
    try reader.finish()
    return requires
  }
}

extension ByteReader {
  /// The next 16 bytes as a UUID.
  package mutating func uuid() throws(FormatFailure) -> UUID {
    UUID(bytes, at: try range(count: 16).lowerBound)
  }
}

extension UUID {
  /// The 16 bytes from `start` on, which must be there.
  package init(_ bytes: Span<UInt8>, at start: Int) {
    let s = start
    self.init(
      uuid: (
        bytes[s], bytes[s + 1], bytes[s + 2], bytes[s + 3], bytes[s + 4], bytes[s + 5], bytes[s + 6],
        bytes[s + 7], bytes[s + 8], bytes[s + 9], bytes[s + 10], bytes[s + 11], bytes[s + 12],
        bytes[s + 13], bytes[s + 14], bytes[s + 15]
      ))
  }
}
