import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// The files that may be found in the place of a store, and the reasons for refusing them.
enum BadStore: String, CaseIterable, CustomStringConvertible, Sendable {
  case file = "a file"
  case pipe = "a pipe"
  case link = "a symbolic link to a store"
  case missing = "nothing"
  case empty = "an empty directory"
  case withoutCurrent = "a store without CURRENT"
  case onlyCurrent = "a directory with CURRENT alone"
  case currentIsEmpty = "a CURRENT that is empty"
  case currentIsGarbage = "a CURRENT of garbage"
  case currentLeadsOut = "a CURRENT that leads out of the store"
  case currentIsLong = "a CURRENT that is too long"
  case currentIsDirectory = "a CURRENT that is a directory"
  case missingGeneration = "a CURRENT that names a missing generation"
  case otherLog = "a CURRENT with the id of another log"
  case mixed = "the log of one store in another"
  case dataIsEmpty = "a data file of 0 bytes"
  case dataHas100 = "a data file of 100 bytes"
  case dataHas4096 = "a data file of 4,096 bytes"
  case dataHas8191 = "a data file of 8,191 bytes"
  case dataIsHalf = "a data file cut in half"
  case dataLacksTail = "a data file that ends before its newest root"
  case dataLacksTailOfValue = "a data file without the last page of a large value"
  case dataIsText = "a data file of text"
  case dataIsSQLite = "a data file of SQLite"
  case dataIsDirectory = "a data file that is a directory"
  case dataIsPipe = "a data file that is a pipe"
  case dataIsLink = "a data file that is a symbolic link"

  var description: String { rawValue }

  /// What every opener says.
  var code: AnnalsError.Code {
    switch self {
    case .missing: .noSuchStore
    case .file, .pipe, .link, .empty, .currentIsDirectory, .currentIsLong: .notAStore
    case .dataIsText, .dataIsSQLite, .dataIsDirectory, .dataIsPipe, .dataIsLink: .notAStore
    case .withoutCurrent, .onlyCurrent, .missingGeneration: .incomplete
    case .currentIsEmpty, .currentIsGarbage, .currentLeadsOut: .damaged
    case .otherLog, .mixed: .foreign
    case .dataIsEmpty, .dataHas100, .dataHas4096, .dataHas8191, .dataIsHalf, .dataLacksTail,
      .dataLacksTailOfValue:
      .damaged
    }
  }

  /// The page of the root of the newest state, from the two meta pages (liblmdb's `MDB_meta`).
  private static func newestRoot(_ bytes: Data) -> Int {
    func word(_ offset: Int) -> Int {
      bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let newest = word(144) > word(Damage.pageSize + 144) ? 0 : Damage.pageSize
    return word(newest + 128)
  }

  /// Puts it where the store of `place` is expected.
  func make(in place: TemporaryStore) async throws {
    let manager = FileManager.default
    let current = place.url.appendingPathComponent("CURRENT")
    let data = place.url.appendingPathComponent(Specimen.file)
    switch self {
    case .missing: return
    case .file: return try Data("a file".utf8).write(to: place.url)
    case .pipe: return try Self.makePipe(place.url)
    case .empty: return try manager.createDirectory(at: place.url, withIntermediateDirectories: false)
    case .link:
      let real = place.directory.appendingPathComponent("real.annals")
      try await Specimen.create(at: real)
      return try manager.createSymbolicLink(at: place.url, withDestinationURL: real)
    default: break
    }
    try await Specimen.create(at: place.url)
    let bytes = try Data(contentsOf: data)
    switch self {
    case .withoutCurrent: try manager.removeItem(at: current)
    case .onlyCurrent:
      for name in try manager.contentsOfDirectory(atPath: place.url.path) where name != "CURRENT" {
        try manager.removeItem(at: place.url.appendingPathComponent(name))
      }
    case .currentIsEmpty: try Data().write(to: current)
    case .currentIsGarbage: try Data((0..<80).map { UInt8(255 - $0) }).write(to: current)
    case .currentLeadsOut:
      var line = "../../etc/passwd \(UUID().uuidString.lowercased()) 1"
      line += " " + String(Checksum.crc32c(Array(line.utf8).span), radix: 16) + "\n"
      try Data(line.utf8).write(to: current)
    case .currentIsLong: try Data(repeating: UInt8(ascii: "a"), count: 1 << 20).write(to: current)
    case .currentIsDirectory:
      try manager.removeItem(at: current)
      try manager.createDirectory(at: current, withIntermediateDirectories: false)
    case .missingGeneration:
      var changed = try CurrentFile([UInt8](Data(contentsOf: current)))
      changed.generation = 2
      try Data(changed.encoded()).write(to: current)
    case .otherLog: try Data(CurrentFile(log: UUID(), generation: 1).encoded()).write(to: current)
    case .mixed:
      let other = place.directory.appendingPathComponent("other.annals")
      try await Specimen.create(at: other)
      try Data(contentsOf: other.appendingPathComponent(Specimen.file)).write(to: data)
    case .dataIsEmpty: try Data().write(to: data)
    case .dataHas100: try bytes.prefix(100).write(to: data)
    case .dataHas4096: try bytes.prefix(4096).write(to: data)
    case .dataHas8191: try bytes.prefix(8191).write(to: data)
    case .dataIsHalf: try bytes.prefix(bytes.count / 2).write(to: data)
    case .dataLacksTail:
      // The last page of all may be a free one.
      try bytes.prefix(Self.newestRoot(bytes) * Damage.pageSize).write(to: data)
    case .dataLacksTailOfValue:
      // The value is at the end of the file; later commits reuse freed pages, so that every root precedes it.
      for sizes in [[1, 1, 1, 1, 1, 1], [40_000], [1, 1], [1], [1]] {
        let log = try EventLog(at: place.url)
        for size in sizes { try await log.append([.sized(size)], to: "order 1") }
      }
      try Data(contentsOf: data).dropLast(4096).write(to: data)
    case .dataIsText: try Data(String(repeating: "dear diary\n", count: 4000).utf8).write(to: data)
    case .dataIsSQLite:
      try (Data("SQLite format 3\0".utf8) + Data([0x10, 0, 1, 1]) + Data(count: 40_000)).write(to: data)
    case .dataIsDirectory:
      try manager.removeItem(at: data)
      try manager.createDirectory(at: data, withIntermediateDirectories: false)
    case .dataIsPipe:
      try manager.removeItem(at: data)
      try Self.makePipe(data)
    case .dataIsLink:
      try manager.moveItem(at: data, to: place.directory.appendingPathComponent("elsewhere.mdb"))
      try manager.createSymbolicLink(
        at: data, withDestinationURL: place.directory.appendingPathComponent("elsewhere.mdb"))
    case .file, .pipe, .link, .missing, .empty: break
    }
  }

  private struct NoPipe: Error {}

  private static func makePipe(_ url: URL) throws {
    guard unsafe mkfifo(url.path, 0o600) == 0 else { throw NoPipe() }
  }
}
