internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

// The files that exist, compared with the log.
extension ViewRegistry {
  /// Returns the usable files of a projection, and removes the others.
  func find(
    _ outline: ProjectionOutline, _ directory: ViewDirectory, _ catalog: inout Catalog
  ) throws(AnnalsError) -> (
    candidates: [ViewChoice.Candidate], opened: [UInt64: ViewFile], noted: String?
  ) {
    var found: [ViewFacts] = []
    var opened: [UInt64: ViewFile] = [:]
    var noted: String?
    let boot = Boot.id
    let listings = try directory.listings()
    for listing in listings {
      if listing.isLeftover {
        if access == .readWrite, !listing.isUsed || listing.number != listings.last?.number {
          _ = try directory.remove(listing.number)
        }
        continue
      }
      if let mark = listing.mark, ExactText(mark.name) != ExactText(outline.name) { continue }
      let isOwn = listing.mark.map { $0.version == outline.version } ?? false
      var problem: String?
      if !listing.hasFile {
        problem = "its file was missing"
      } else if let mark = listing.mark {
        if !mark.isUsable(in: boot) {
          problem = "the system was not shut down in order while it was built"
        }
      } else {
        problem = "a file next to the view's file was missing or damaged"
      }
      if problem == nil, let mark = listing.mark {
        do throws(AnnalsError) {
          let file = try open(listing.number, mark, directory, &catalog)
          let facts = try file.read { (view) throws(AnnalsError) in try file.facts(view) }
          guard ExactText(facts.name) == ExactText(mark.name), facts.version == mark.version else {
            throw AnnalsError(.foreign, "the file belongs to another view than the file next to it says")
          }
          if facts.isCarrying, let lease = try directory.foldLease(listing.number) {
            _ = lease
            throw AnnalsError(
              .incomplete, "rows of an earlier version were being carried over when that was cut short")
          }
          opened[listing.number] = file
          found.append(facts)
        } catch {
          guard error.isOfSpoiltView else { throw error }
          problem = "its file was damaged (\(error.message))"
        }
      }
      if let problem {
        // The projection of a file without a mark is unknown.
        if isOwn || listing.mark == nil { noted = noted ?? problem }
        catalog.opened[listing.number] = nil
        if access == .readWrite, try !directory.remove(listing.number) {
          catalog.pendingRemovals.insert(listing.number)
        }
      }
    }
    return (try compare(found, outline), opened, noted)
  }

  /// Compares the facts in the files with the log.
  private func compare(
    _ found: [ViewFacts], _ outline: ProjectionOutline
  ) throws(AnnalsError) -> [ViewChoice.Candidate] {
    // The snapshot begins after the files were read. An earlier one would lack entries that another process
    // folds meanwhile.
    let snapshot = try LogSnapshot(core)
    var candidates: [ViewChoice.Candidate] = []
    for facts in found {
      var agreement = CheckpointAgreement.agrees
      if let checkpoint = facts.checkpoint {
        agreement = try snapshot.reader.agreement(with: checkpoint, log: core.log)
      }
      candidates.append(
        ViewChoice.Candidate(
          facts: facts, agreement: agreement,
          isReadable: StoredProjection(facts.definition).flatMap { outline.reading($0) } != nil))
    }
    return candidates
  }

  private func open(
    _ number: UInt64, _ mark: ViewMark, _ directory: ViewDirectory, _ catalog: inout Catalog
  ) throws(AnnalsError) -> ViewFile {
    if let file = catalog.opened[number]?.file { return file }
    let file = try directory.open(number, called: mark.name, of: core, trust: trust)
    file.isSynced.store(mark.isSynced, ordering: .relaxed)
    catalog.opened[number] = Catalog.WeakFile(file: file)
    return file
  }
}
