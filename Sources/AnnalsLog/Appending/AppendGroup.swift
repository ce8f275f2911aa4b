internal import AnnalsCoding
package import AnnalsFormat
internal import AnnalsShapes
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The calls that one transaction stores. Each call is decided against the results of those before it, and
/// only an accepted one reaches LMDB.
package struct AppendGroup {
  /// The number of parts whose names are hashed before the first of them is looked up, so that their memory
  /// has been fetched by then.
  static let run = 16
  /// The maximum number of entries for which the heads are locked at a time; readers wait no longer.
  static let hold = 512

  /// The end of a part's stream, in memory.
  package struct Place {
    /// The slot of its head.
    package var slot = 0
    /// The position of its first entry; 0 if the stream holds none.
    package var id: UInt64 = 0
  }

  let generation: Generation
  let heads: StreamHeads
  package let tables: StoreTables
  package let directory: Directory
  let search: IDSearch
  /// The kinds, including those that the group registered.
  package var kinds: KindRegistry
  /// The record type that was stored last, and its kind: most events of a group have one type.
  var recent: (record: AppendRequest.Record, kind: UInt32)?
  /// The kinds that the group registered.
  var registered: [EntryRows.New] = []
  /// The ordinals of versions whose roll-out advanced.
  var begun: Set<UInt16> = []
  /// The kinds for which the group notes which older versions read them.
  var noted: Set<UInt32> = []
  /// Whether the schema epoch is raised by this group.
  var hasRaisedEpoch = false
  /// The changes of the census by this group.
  var census: [UInt32: CensusRow] = [:]
  /// The rules that the store demands of appends, with their progress after the group's calls.
  package var rules: [RuleRow]
  /// Whether a rule has written rows for a call of the group.
  package var hasAppliedRules = false
  /// The memory of the rule that was applied last, for the next calls of the group.
  package var ruleMemory: AnyObject?
  /// The heads of the tags that the group extends.
  var tags = TagHeads()
  /// The slot in ``tags`` of each tag of the call that is being stored.
  var tagSlots: [Int] = []
  /// The newest times of commits; `nil` if they are not known.
  var times: CommitTimes?
  /// The tags of the event that is being stored, kept for its memory.
  var tagList = TagListDraft()
  /// The extensions of an event that has been stored, kept for their memory.
  var spareExtensions: [UInt8] = []
  var places: [Place] = []
  /// The ends of the same streams, copied when they were found: a slot may belong to another stream before
  /// all are found.
  package var ends: [StreamEnd?] = []
  /// The position of the newest entry.
  package internal(set) var last: UInt64
  /// The number of entries that the group stored.
  var count: UInt64 = 0
  /// Whether it changed anything.
  var hasChanges: Bool { count > 0 }

  /// Creates a group after the entry at `last` (0: none).
  ///
  /// - Parameters:
  ///   - search: How event ids are recognised.
  ///   - rules: The rules that the store demands of appends.
  init(_ generation: Generation, last: UInt64, _ search: IDSearch, rules: [RuleRow] = []) {
    self.rules = rules
    self.generation = generation
    heads = generation.heads
    tables = generation.tables
    directory = generation.directory
    self.search = search
    kinds = generation.kinds
    self.last = last
  }

  /// Decides a call, and stores its events if it is accepted.
  ///
  /// - Returns: The answer for its caller.
  /// - Throws: Any error that ends the whole transaction.
  mutating func run(
    _ call: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    if let change = call.change { return try run(change, of: call, in: &transaction) }
    // A request has many lists to retain, and is copied only where the copy differs.
    guard let sight = call.sight else { return try runDecided(call, in: &transaction) }
    let rest: AppendRequest
    do { rest = try unknown(of: call, since: sight, in: transaction) } catch { return .failure(error) }
    return try runDecided(rest, in: &transaction)
  }

  private mutating func runDecided(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    let verdict: AppendVerdict
    do { verdict = try decide(request, in: transaction) } catch { return .failure(error) }
    switch verdict {
    case .accepted:
      if request.items.isEmpty {
        return .success(Appended(positions: [], revisions: [], wasRepeated: request.sight != nil))
      }
      if let missing = try missingAttachment(of: request) {
        return .failure(AnnalsError(missingAttachment: missing))
      }
      let before: Versions?
      do throws(AnnalsError) { before = try begin(request) } catch { return .failure(error) }
      if let refusal = try applyRules(of: request, in: &transaction) {
        if let before { restore(before) }
        return .failure(refusal)
      }
      return .success(try store(request, in: &transaction))
    case .repeated(let identities):
      return .success(
        Appended(
          positions: identities.map(\.position), revisions: identities.map(\.revision), wasRepeated: true))
    default:
      return .failure(AnnalsError(verdict))
    }
  }
}
