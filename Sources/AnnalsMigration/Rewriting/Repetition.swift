internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB
import Synchronization

/// Upcasts copied entries of the older generation again, on threads of its own, while the pass continues with
/// the new file.
///
/// The older generation is not needed for that, and the new one can be written and checked meanwhile.
final class Repetition: Sendable {
  /// The work that all threads share.
  private final class Work: Sendable {
    private struct State {
      var next: UInt64 = 0
      /// What the pieces that are done deliver.
      var digest = EventDigest()
      /// The first piece that failed.
      var failure: (piece: UInt64, error: AnnalsError)?
      var isOver = false
    }

    let pieces: PositionPieces
    let older: Digesting
    private let control: PassControl
    private let state = Mutex(State())

    init(_ pieces: PositionPieces, _ older: Digesting, _ control: PassControl) {
      self.pieces = pieces
      self.older = older
      self.control = control
    }

    /// Does the next piece.
    ///
    /// - Returns: Its positions; `nil` if none is left, or after a failure.
    func serve(_ digester: EntryDigester) -> ClosedRange<UInt64>? {
      let piece = state.withLock { state -> UInt64? in
        if state.isOver || state.next >= pieces.count { return nil }
        defer { state.next += 1 }
        return state.next
      }
      guard let piece else { return nil }
      let result: Result<EventDigest, AnnalsError>
      do throws(AnnalsError) { result = .success(try older.digest(of: pieces[piece], digester)) } catch {
        result = .failure(error)
      }
      state.withLock { state in
        switch result {
        case .success(let digest): state.digest.add(digest)
        case .failure(let error):
          state.isOver = true
          if state.failure.map({ piece < $0.piece }) ?? true { state.failure = (piece, error) }
        }
      }
      return pieces[piece]
    }

    /// Does pieces until none is left, and rests while the pass is paused.
    func serveAll() {
      let digester = older.digester()
      while true {
        switch control.wish {
        case .stop, .cancel: return
        case .pause:
          if state.withLock({ $0.isOver }) { return }
          WriterThread.pause(milliseconds: 20)
        case .go: if serve(digester) == nil { return }
        }
      }
    }

    func end() { state.withLock { $0.isOver = true } }

    /// What all pieces deliver, once no thread is at work.
    func result() throws(AnnalsError) -> EventDigest {
      let (digest, failure) = state.withLock { ($0.digest, $0.failure) }
      if let failure { throw failure.error }
      return digest
    }
  }

  /// The entries that are upcast again.
  let positions: ClosedRange<UInt64>
  /// What they delivered when they were copied.
  let expected: EventDigest
  private let work: Work
  private let threads: [WriterThread]

  /// Begins.
  ///
  /// - Parameters:
  ///   - positions: The entries, which are all there.
  ///   - older: Reads the older generation.
  ///   - expected: What they delivered when they were copied.
  ///   - count: The number of threads, which yield to all other work of the machine.
  ///   - control: Says when the pass is paused or ended.
  init(
    of positions: ClosedRange<UInt64>, _ older: Digesting, expecting expected: EventDigest,
    threads count: Int, _ control: PassControl
  ) throws(AnnalsError) {
    self.positions = positions
    self.expected = expected
    let work = Work(PositionPieces(positions, each: Digesting.runEntries), older, control)
    self.work = work
    var threads: [WriterThread] = []
    do throws(AnnalsError) {
      for _ in 0..<count {
        threads.append(
          try files { () throws(StoreFileError) in
            try WriterThread(name: "annals-pass") {
              WriterThread.yieldToOthers()
              work.serveAll()
            }
          })
      }
    } catch {
      work.end()
      for thread in threads { thread.join() }
      throw error
    }
    self.threads = threads
  }

  deinit {
    work.end()
    for thread in threads { thread.join() }
  }

  /// Does the remaining pieces, together with the other threads, and waits for them.
  ///
  /// - Parameter whenDone: Is called after each piece of this thread, with its positions.
  /// - Returns: What the entries deliver when they are upcast again.
  /// - Throws: ``AnnalsError``: the first error in the order of positions; what `whenDone` throws.
  func finish(
    _ whenDone: (ClosedRange<UInt64>) throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> EventDigest {
    let digester = work.older.digester()
    while let piece = work.serve(digester) { try whenDone(piece) }
    for thread in threads { thread.join() }
    return try work.result()
  }
}
