package import AnnalsCoding

/// Puts the changes of a log into the order that all machines of a cluster share.
///
/// A log that is opened with one hands every encoded call to it and never to its own writer. The sequencer
/// gives the call a place in the shared order, applies the calls up to there (``SequencedBatch``), and
/// returns the verdict.
package protocol CommitSequencer: AnyObject, Sendable {
  /// Passes a call to the shared log, and waits until it is applied here.
  func append(_ request: AppendRequest) async throws(AnnalsError) -> Appended

  /// Passes a call to the shared log, and blocks the calling thread until it is applied here.
  func appendBlocking(_ request: AppendRequest) throws(AnnalsError) -> Appended

  /// The programs of other machines that were heard of lately.
  var programs: [LiveProgram] { get }

  /// Waits until the other machines had time to say which programs they run, and blocks the calling thread
  /// meanwhile.
  func listenForPrograms() throws(AnnalsError)
}

/// The key of the sequencer among the options of a store.
private struct SequencerOption: Sendable {
  let sequencer: any CommitSequencer
}

extension StoreOptions {
  /// The sequencer that takes the calls of the store; `nil` for a store of this machine alone.
  package var sequencer: (any CommitSequencer)? {
    get { self[SequencerOption.self]?.sequencer }
    set { self[SequencerOption.self] = newValue.map { SequencerOption(sequencer: $0) } }
  }
}
