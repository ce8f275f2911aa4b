internal import AnnalsAttachments
internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

// The end of a pass after its switch.
extension PassRunner {
  /// Makes `CURRENT` name the new generation, and removes files that only the pass needed.
  func settle(
    _ pass: Pass, _ waited: Duration, _ preflight: PassPreflight
  ) throws(AnnalsError) -> MigrationReport {
    let (directory, current) = (pass.directory, pass.target.current)
    var report = MigrationReport(
      isDone: true, generation: current.generation, predecessor: pass.source.current.generation,
      entries: pass.machine.copied)
    do throws(StoreFileError) {
      try directory.removeBuildMark(of: current)
      try directory.replace(CurrentFile.name, with: current.encoded().span)
      options.atPoint?(.current)
      report.bytesBefore = UInt64(clamping: try directory.status(of: pass.source.current.fileName)?.size ?? 0)
      report.bytesAfter = UInt64(clamping: try directory.status(of: current.fileName)?.size ?? 0)
    } catch {
      // The seal decides: every open follows it, and writes CURRENT again.
    }
    options.atPoint?(.done)
    pass.tally.fill(&report)
    do throws(AnnalsError) {
      // An interrupted pass may have quarantined entries before this one continued.
      (report.quarantined, report.retained) = try pass.target.read {
        (reader) throws(AnnalsError) -> (UInt64, [MigrationReport.Retained]) in
        let census = try reader.census()
        return (
          census.values.reduce(0) { $0 &+ $1.quarantined },
          MigrationReport.Retained.all(work.reach?.plan, census, try reader.kinds())
        )
      }
      // This process releases the old generation as soon as it can.
      _ = try log.core.newest()
      report.removedAttachments = UInt64(try removeUnusedAttachments(pass))
    } catch {
      // The switch has happened. Later readers meet any failure here, and the next pass repeats the removal.
    }
    report.secondsLocked = waited / .seconds(1)
    report.resumedAt = pass.resumedAt
    report.isHeld = options.isHolding
    report.digest = pass.digest.total.text
    return report
  }

  /// Removes contents of attachments to which neither the new generation nor its source refers.
  ///
  /// - Returns: Their number. None while there are other generations, which may refer to them.
  private func removeUnusedAttachments(_ pass: Pass) throws(AnnalsError) -> Int {
    let names = try files { () throws(StoreFileError) in try pass.directory.names() }
    let known = [pass.source.current.generation, pass.target.current.generation]
    guard names.compactMap({ GenerationFiles.number(ofFile: $0) }).allSatisfy(known.contains) else {
      return 0
    }
    let kept = try pass.source.read { (reader) throws(AnnalsError) in Set(try reader.attachments().keys) }
    return try BlobSweep(log.core.newest(), grace: options.attachmentGrace).run(keeping: kept)
  }
}
