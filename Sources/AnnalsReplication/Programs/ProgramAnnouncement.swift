internal import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a machine says now and then of the programs that have its store open. docs/format-cluster.md draws its
/// bytes.
///
/// Announcements are not in the log: they may be lost, and decide nothing of what the machines store.
package struct ProgramAnnouncement: Equatable, Sendable {
  /// The format of announcements that this library writes and reads.
  private static let format: UInt8 = 1
  /// The longest time, in milliseconds, for which an announcement counts.
  private static let longest: UInt64 = 86_400_000

  /// The id of the cluster's log.
  package var log: UUID
  /// The machine, an id that it draws when it opens its store.
  package var machine: UUID
  /// The name of the machine.
  package var name: String
  /// Whether the machine has just begun to listen, so that the others announce theirs at once.
  package var asks: Bool
  /// The time in milliseconds after which the programs count as ended, unless they are announced again.
  package var milliseconds: UInt64
  /// The programs; none if the machine has closed its store.
  package var programs: [LiveProgram]

  /// The bytes of the announcement.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = [Self.format]
    bytes += log.bytes
    bytes += machine.bytes
    bytes.append(asks ? 1 : 0)
    bytes.append(varint: milliseconds)
    bytes.append(counted: name.utf8)
    bytes.append(varint: UInt64(programs.count))
    for program in programs {
      bytes.append(varint: UInt64(UInt32(bitPattern: program.process ?? 0)))
      bytes.append(program.skipsNewerTypes ? 1 : 0)
      bytes.append(program.version)
    }
    bytes.append(littleEndian: Checksum.crc32c(bytes.span))
    return bytes
  }

  init(
    log: UUID, machine: UUID, name: String, asks: Bool, milliseconds: UInt64, programs: [LiveProgram]
  ) {
    self.log = log
    self.machine = machine
    self.name = name
    self.asks = asks
    self.milliseconds = milliseconds
    self.programs = programs
  }

  /// Reads an announcement.
  init(_ bytes: [UInt8]) throws(FormatFailure) {
    let span = bytes.span
    guard span.count > 4 else { throw FormatFailure(.tooShort, at: span.count) }
    let content = span.extracting(0..<span.count - 4)
    var end = ByteReader(span, from: span.count - 4)
    guard try end.littleEndian(UInt32.self) == Checksum.crc32c(content) else {
      throw FormatFailure(.checksum, at: span.count - 4)
    }
    var reader = ByteReader(content)
    guard try reader.byte() == Self.format else { throw FormatFailure(.value, at: 0) }
    log = try reader.uuid()
    machine = try reader.uuid()
    asks = try reader.flag()
    milliseconds = try reader.number(in: 0...Self.longest)
    let name = try reader.countedText()
    self.name = name
    programs = []
    for _ in 0..<(try reader.count(of: 3)) {
      let process = Int32(bitPattern: try reader.varint(as: UInt32.self))
      let skips = try reader.flag()
      programs.append(
        LiveProgram(
          version: try reader.schemaVersion(), skipsNewerTypes: skips, process: process == 0 ? nil : process,
          machine: name))
    }
    try reader.finish()
  }
}
