package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
package import AnnalsStore
package import AnnalsVerify

extension EventStore {
  /// Compares the rows of the inline projections with a fold of the whole log, and adds the differences to a
  /// report.
  ///
  /// It compares the projections that the store was opened with and that are in force in the same version, up
  /// to the position where they are folded.
  ///
  /// - Throws: ``AnnalsError`` with code `shapeChanged` if a projection's tables have changed but not its
  ///   version; `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(entries) for each projection, and the memory of its rows.
  package func verifyInline(_ report: inout VerifyReport) throws(AnnalsError) {
    guard let inline else { return }
    try log.core.generation.openInline()
    let findings = try log.read { (snapshot) throws(AnnalsError) in
      let rows = try snapshot.reader.ruleRows()
      var findings: [Finding] = []
      for member in inline.members.indices {
        guard let row = inline.row(of: member, inForceIn: rows) else { continue }
        let outline = inline.members[member].outline
        guard rows[row].text == outline.text else { throw AnnalsError(changedTablesOf: outline) }
        var (problem, repair) = (String?.none, Finding.Repair.rebuild)
        do throws(AnnalsError) {
          problem = try InlineCheck(inline, member: member).difference(rows[row], snapshot)
        } catch  where error.code == .damaged {
          // The check of the log has reported where.
          (problem, repair) = ("its rows cannot be compared with a log that is damaged", .restore)
        } catch  where InlineRegistration.cannotFold.contains(error.code) {
          problem = "its rows cannot be compared with the log: \(error.message)"
        }
        if let problem {
          findings.append(
            Finding(
              place: "inline projection '\(outline.name)', version \(outline.version)", problem: problem,
              repair: repair))
        }
      }
      return findings
    }
    for finding in findings { report.add(finding) }
  }
}

extension AnnalsError {
  /// Creates the error for a projection that is in force with tables that differ from the program's.
  init(changedTablesOf outline: ProjectionOutline) {
    self.init(
      .shapeChanged,
      "version \(outline.version) of the inline projection '\(outline.name)' is in force with other tables: give the projection a higher version"
    )
  }
}
