#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store that is measured: Annals itself, or a peer that does the same work with other means.
///
/// Its store is closed when the value is released. A new peer conforms and takes its place in ``Roster``.
protocol Subject: AnyObject, Sendable {
  /// Events in the form in which the subject takes them, made before the clock runs.
  associatedtype Batch: Sendable

  /// What it is called in reports and for `--subject`.
  static var name: String { get }

  /// Creates a store in an empty directory, whose commits reach the disk as `durability` says.
  init(creatingIn directory: URL, _ durability: Durability) throws

  /// Opens the store that was created in the directory, with all that an append or a read needs.
  init(openingIn directory: URL) throws

  /// Waits until nobody has the store open, after the subject that had it was released.
  static func waitUntilClosed(in directory: URL) throws

  /// Turns events into what ``append(_:)`` takes.
  static func prepare(_ events: [SampleEvent]) throws -> Batch

  /// Stores the events in one transaction. With full durability it is on disk when this returns.
  func append(_ batch: Batch) async throws

  /// Stores the events as ``append(_:)`` does, and blocks the calling thread meanwhile.
  func append(blocking batch: Batch) throws

  /// Reads the whole log, every byte of every value.
  func scan() throws -> ScanTotal

  /// The bytes of all pages in use, after the subject that filled the directory was released.
  static func bytesStored(in directory: URL) throws -> Int
}

extension Subject {
  /// Creates a store in an empty directory, each commit of which is on disk when it returns.
  init(creatingIn directory: URL) throws { try self.init(creatingIn: directory, .full) }
}

/// When a commit returns.
enum Durability: Sendable {
  /// When it is on disk.
  case full
  /// Earlier, as far as the subject has such a mode. What a power loss may take differs between subjects.
  case relaxed
}

/// A subject that can find the events of one stream.
protocol StreamReader: Subject {
  /// Reads all events of the stream with this number, from its first, each with its payload.
  ///
  /// - Returns: How many there were.
  func read(stream: Int) throws -> Int

  /// Reads one event of the stream with this number, with its payload.
  ///
  /// - Returns: 1, or 0 if there is none.
  func read(stream: Int, revision: Int) throws -> Int
}

/// A subject that takes appends of many tasks at a time and commits together what waits together.
protocol GroupCommitter: Subject {}

/// What a scan found; the digest makes the reading of the bytes matter.
struct ScanTotal: Equatable, Sendable {
  /// The number of entries.
  var entries = 0
  /// A sum over the bytes that were read, of the subject's own kind.
  var digest: UInt64 = 0
}

extension ScanTotal {
  /// The sum of all words of eight bytes and of the remaining bytes, so that every byte is read.
  @inline(__always)
  static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var sum: UInt64 = 0
    var offset = 0
    while offset + 8 <= bytes.count {
      unsafe sum &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      unsafe sum &+= UInt64(bytes[offset])
      offset += 1
    }
    return sum
  }
}
