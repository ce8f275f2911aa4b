internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The archive that a pass is asked for, if it is, and whether an unfinished pass has the same one.
struct ArchiveRequest: Sendable {
  /// Where it goes; `nil` for nowhere.
  private let place: ArchivePlace?
  /// What tells the pass from others that have no archive.
  private let plain: [UInt8]

  /// - Parameters:
  ///   - url: The file; `nil` for none.
  ///   - mark: What tells the pass from others that have no archive.
  /// - Throws: ``AnnalsError`` with code `wrongUse` where it is not the URL of a file.
  init(_ url: URL?, mark: [UInt8]) throws(AnnalsError) {
    place = try url.map { (url) throws(AnnalsError) in try ArchivePlace(url) }
    plain = mark
  }

  /// What tells the pass from others: with another archive it is another one.
  var mark: [UInt8] { place.map { PlanMark.archiving(plain, $0.path) } ?? plain }

  /// Throws `cannotCreate` where something has the name.
  func mustBeFree() throws(AnnalsError) { try place?.mustBeFree() }

  /// What a generation says of the archive before anything is written to it; `nil` where there is none.
  func row(of pass: UUID) -> PassArchiveRow? { place.map { PassArchiveRow(id: pass, path: $0.path) } }

  /// Creates the archive, or goes on with it; `nil` where there is none.
  ///
  /// - Parameter target: The new generation, which knows how much of the archive counts.
  /// - Throws: ``AnnalsError`` with code `incomplete` where the file is gone or too short.
  func open(_ target: PassTarget) throws(AnnalsError) -> PassArchive? {
    guard place != nil else { return nil }
    guard let row = try target.read({ (reader) throws(AnnalsError) in try reader.passArchive() }) else {
      throw AnnalsError(.damaged, "table 'meta': the row '\(PassArchiveRow.name)' is missing")
    }
    return try PassArchive(row)
  }

  /// Throws where an unfinished pass differs from this one in nothing but its archive.
  ///
  /// - Parameters:
  ///   - row: What the generation in use says of the unfinished pass.
  ///   - begun: What it says of that pass's archive; `nil` where there is none.
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
