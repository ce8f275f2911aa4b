import Testing

/// The tests of the suites that need what no cluster has. They run over a store of this machine alone.
enum LocalTests {
  /// Whether the running test is one of them.
  static var hasCurrent: Bool {
    guard let test = Test.current else { return false }
    return all.contains(test.displayName ?? test.name)
  }

  private static let all =
    secondPrograms.union(untyped).union(activations).union(files).union(readings).union(copies).union(clocks)

  /// Another program of the machine opens the store for writing. One program of a machine is a member.
  private static let secondPrograms: Set<String> = [
    "A letter of which the plan makes nothing that was selected stays",
    "In one process decisions that take turns need one attempt each",
    "rows and refusals are those of a model, also with programs that name the projections in another order",
    "parts of a split are put aside one by one, and the checkpoint never parts an entry",
    "a store of a newer version is refused",
    "a reader that another program's first tags overtake finds them",
    "an event of a newer type matches an item without types, and is none of the types of others",
    "the plan that conditions compare with is made once for a store",
  ]

  /// A condition is compared with what the plan of the store makes of an entry. A cluster compares stored
  /// types, which are the same on all machines.
  private static let readings: Set<String> = [
    "an entry that readers stop at stops an append whose condition it may match",
    "an entry that readers skip refuses an append whose condition it may match",
    "an entry that a pass has set aside is compared like any other",
    "the exact comparison of a condition is made once for a call, and only for a candidate",
    "a truncated event refuses a condition, as reads give it, until a pass has removed it",
  ]

  /// A copy of the store is written to at another place, next to the store.
  private static let copies: Set<String> = [
    "a checkpoint of another log, of one that has lost its end, and of one that went on from there is refused",
    "a store with inline projections needs its plan, which then folds the rows again",
  ]

  /// A time is compared with the clock of this machine. In a cluster it is that of a message.
  private static let clocks: Set<String> = [
    "each erasure is recorded with who, why and when, and names no stream"
  ]

  /// An untyped log writes to the store.
  private static let untyped: Set<String> = [
    "positions and selections can be erased, and an erased event is left alone",
    "a store that passes over entries neither keeps snapshots nor uses any",
    "Entries after the point are not read, so one that cannot be read does not matter",
    "an entry that the plan cannot read stops it, or is put aside at once",
    "a letter can be retried in front of an entry that the plan cannot read",
    "a store that holds events without a path is refused with all of them",
    "a payload that is not of its type names position, type, version and cause",
  ]

  /// Inline projections come into force, or are raised, by an activation.
  private static let activations: Set<String> = [
    "An activation whose rows cannot be encoded puts nothing in force",
    "a projection is folded from the log that is there when the store is activated with it",
    "a log that a projection refuses cannot be activated with it, and goes on without it",
    "A program without a projection in force reads, and does not append",
    "a raised version takes the place of the one before when the store is opened with activating",
    "tables that change without a higher version are refused, and so are two projections of one name",
  ]

  /// Rows or files are put into the store without a program, right after the last one was released. A member
  /// ends a moment later, when its last batch has.
  private static let files: Set<String> = [
    "a snapshot taken of entries that the log has lost is ignored",
    "a file of snapshots that is damaged or missing costs time alone",
    "a projection that is said to be folded beyond the log is damage, not the end of the process",
  ]
}
