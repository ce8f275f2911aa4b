internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB

/// Does the pieces of a pass on several threads, and gives what comes of them in the order of positions.
///
/// The threads continue while the consumer is busy, up to the length of the line.
struct PassLine<Output: Sendable>: ~Copyable {
  /// Does the beginning of some positions, and says where the rest begins; `nil` if nothing is left.
  typealias Work = (ClosedRange<UInt64>) throws(AnnalsError) -> (output: Output, rest: UInt64?)

  /// Where one thread does everything, what it has still to do.
  private struct Alone {
    let work: Work
    var piece: UInt64 = 0
    var rest: UInt64?
  }

  private let pieces: PositionPieces
  private let isCancelled: @Sendable () -> Bool
  private var alone: Alone?
  private let shared: OrderedWork<Result<Output, AnnalsError>>
  private var threads: [WriterThread] = []

  /// Begins with the work.
  ///
  /// - Parameters:
  ///   - pieces: The ranges, each for one thread at a time.
  ///   - threads: How many work alongside the one that takes, yielding to all other work of the machine; with
  ///     1 that one does everything, when it is asked.
  ///   - length: How many pieces are under way at most, 1 or more.
  ///   - isCancelled: Asked once for each piece.
  ///   - makeWork: Makes the work of a thread, with the state that it keeps from piece to piece.
  init(
    _ pieces: PositionPieces, threads: Int, length: Int, isCancelled: @escaping @Sendable () -> Bool,
    _ makeWork: @escaping @Sendable () -> Work
  ) throws(AnnalsError) {
    self.pieces = pieces
    self.isCancelled = isCancelled
    shared = OrderedWork(pieces: pieces.count, window: UInt64(max(length, 1)))
    guard threads > 1, pieces.count > 1 else {
      alone = Alone(work: makeWork())
      return
    }
    let shared = shared
    for _ in 0..<threads {
      self.threads.append(
        try files { () throws(StoreFileError) in
          try WriterThread(name: "annals-pass") {
            WriterThread.yieldToOthers()
            Self.serve(shared, pieces, isCancelled, makeWork())
          }
        })
    }
  }

  deinit {
    shared.end()
    for thread in threads { thread.join() }
  }

  /// What comes next; `nil` at the end.
  ///
  /// - Throws: ``AnnalsError``: the first one in the order of positions; `cancelled`.
  mutating func next() throws(AnnalsError) -> Output? {
    guard var alone else { return try shared.take()?.get() }
    guard alone.rest != nil || alone.piece < pieces.count else { return nil }
    if alone.rest == nil, isCancelled() { throw Self.cancelled }
    let piece = pieces[alone.piece]
    let (output, rest) = try alone.work((alone.rest ?? piece.lowerBound)...piece.upperBound)
    alone.rest = rest
    if rest == nil { alone.piece += 1 }
    self.alone = alone
    return output
  }

  /// Does pieces until none is left.
  private static func serve(
    _ line: OrderedWork<Result<Output, AnnalsError>>, _ pieces: PositionPieces,
    _ isCancelled: () -> Bool, _ work: Work
  ) {
    while let number = line.begin() {
      let piece = pieces[number]
      do throws(AnnalsError) {
        if isCancelled() { throw cancelled }
        var next: UInt64? = piece.lowerBound
        while let start = next {
          let (output, rest) = try work(start...piece.upperBound)
          // Where nobody takes it, the work is over.
          next = line.hand(.success(output), of: number) ? rest : nil
        }
      } catch {
        _ = line.hand(.failure(error), of: number)
      }
      line.finish(number)
    }
  }

  private static var cancelled: AnnalsError {
    AnnalsError(.cancelled, "the pass was cancelled; the store is as it was")
  }
}
