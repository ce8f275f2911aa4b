internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The requested archive of a pass, if any, compared with that of an unfinished pass.
struct ArchiveRequest: Sendable {
  /// The place; `nil` for no archive.
  private let place: ArchivePlace?
  /// The mark of the same pass without an archive.
  private let plain: [UInt8]

  /// - Parameters:
  ///   - url: The file; `nil` for none.
  ///   - mark: The mark of the same pass without an archive.
  /// - Throws: ``AnnalsError`` with code `wrongUse` if it is not the URL of a file.
  init(_ url: URL?, mark: [UInt8]) throws(AnnalsError) {
    place = try url.map { (url) throws(AnnalsError) in try ArchivePlace(url) }
    plain = mark
  }

  /// The mark of the pass: with another archive it is another pass.
  var mark: [UInt8] { mark(of: plain) }

  /// Returns the mark of another pass with this archive, which has `plain` without one.
  func mark(of plain: [UInt8]) -> [UInt8] { place.map { PlanMark.archiving(plain, $0.path) } ?? plain }

  /// Throws `cannotCreate` if the name is taken.
  func mustBeFree() throws(AnnalsError) { try place?.mustBeFree() }

  /// Returns a generation's row about the archive before anything is written to it; `nil` if there is none.
  func row(of pass: UUID) -> PassArchiveRow? { place.map { PassArchiveRow(id: pass, path: $0.path) } }

  /// Creates the archive, or continues it; returns `nil` if there is none.
  ///
  /// - Parameter target: The new generation, which knows how much of the archive is valid.
  /// - Throws: ``AnnalsError`` with code `incomplete` if the file is missing or too short.
  func open(_ target: PassTarget) throws(AnnalsError) -> PassArchive? {
    guard place != nil else { return nil }
    guard let row = try target.read({ (reader) throws(AnnalsError) in try reader.passArchive() }) else {
      throw AnnalsError(.damaged, "table 'meta': the row '\(PassArchiveRow.name)' is missing")
    }
    return try PassArchive(row)
  }

  /// Throws if an unfinished pass differs from this one only in its archive.
  ///
  /// - Parameters:
  ///   - row: The row of the unfinished pass in the generation in use.
  ///   - begun: The row of that pass's archive; `nil` if there is none.
  func mustBe(of row: PassRow, _ begun: PassArchiveRow?) throws(AnnalsError) {
    let restart = "or throw it away with MigrationOptions.Unfinished.discard ('--restart')"
    if let begun, row.plan == PlanMark.archiving(plain, begun.path) {
      let path = ArchivePlace(path: begun.path).text
      let given = place.map { "in '\($0.text)'" } ?? "nowhere"
      throw AnnalsError(
        .wrongUse,
        "the unfinished migration pass, which has left generation \(row.other), archives what entries lose in '\(path)', and this one \(given): go on with MigrationOptions.archive ('--archive \(path)'), \(restart)",
        details: AnnalsError.Details { $0.version = row.version })
    }
    guard let place, row.plan == plain else { return }
    throw AnnalsError(
      .wrongUse,
      "the unfinished migration pass, which has left generation \(row.other), was begun without an archive, so that '\(place.text)' would lack what it has done: go on without one, \(restart)",
      details: AnnalsError.Details { $0.version = row.version })
  }
}
