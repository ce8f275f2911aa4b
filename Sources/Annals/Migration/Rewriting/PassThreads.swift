internal import LMDB

/// Does the pieces of a pass on several threads, and hands over what they give in order.
struct PassThreads<Output: Sendable>: Sendable {
  /// Does one piece, and hands each output over until that says to stop.
  typealias Work = (
    _ piece: UInt64, _ hand: (consuming Output) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) -> Void

  /// How many pieces there are.
  let pieces: UInt64
  /// Makes the work of a thread, with whatever it keeps from piece to piece.
  let makeWork: @Sendable () -> Work

  /// Does all pieces.
  ///
  /// - Parameters:
  ///   - threads: How many, the calling one among them. That one takes what the others hand over; alone it does everything. The others yield to all other work.
  ///   - isCancelled: Asked once for each piece.
  ///   - deliver: Takes the next output, on the calling thread, and says whether to go on.
  /// - Throws: ``AnnalsError``: the first one in the order of pieces; `cancelled`; what `deliver` throws.
  func run(
    threads: Int, isCancelled: @escaping @Sendable () -> Bool,
    _ deliver: (consuming Output) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    guard threads > 1, pieces > 1 else { return try runAlone(isCancelled, deliver) }
    let others = threads - 1
    let work = OrderedWork<Result<Output, AnnalsError>>(pieces: pieces, window: UInt64(2 * others))
    var started: [WriterThread] = []
    defer {
      work.end()
      for thread in started { thread.join() }
    }
    for _ in 0..<others {
      started.append(
        try files { () throws(StoreFileError) in
          try WriterThread(name: "annals-pass") {
            WriterThread.yieldToOthers()
            serve(work, isCancelled)
          }
        })
    }
    while let output = work.take() {
      guard try deliver(output.get()) else { return }
    }
  }

  private func runAlone(
    _ isCancelled: () -> Bool, _ deliver: (consuming Output) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    let work = makeWork()
    var goesOn = true
    var piece: UInt64 = 0
    while goesOn, piece < pieces {
      if isCancelled() { throw Self.cancelled }
      try work(piece) { (output) throws(AnnalsError) in
        goesOn = try deliver(output)
        return goesOn
      }
      piece += 1
    }
  }

  /// Does pieces until none is left.
  private func serve(_ line: OrderedWork<Result<Output, AnnalsError>>, _ isCancelled: () -> Bool) {
    let work = makeWork()
    while let piece = line.begin() {
      do throws(AnnalsError) {
        if isCancelled() { throw Self.cancelled }
        try work(piece) { (output) in line.hand(.success(output), of: piece) }
      } catch {
        // Where nobody takes it, the work is over.
        _ = line.hand(.failure(error), of: piece)
      }
      line.finish(piece)
    }
  }

  private static var cancelled: AnnalsError {
    AnnalsError(.cancelled, "the pass was cancelled; the store is as it was")
  }
}
