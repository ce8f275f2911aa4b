internal import Annals
import AnnalsTestSupport

/// What a workload does with events besides appending them.
package enum Lives: Int, Sendable {
  /// Nothing.
  case none
  /// It attaches contents, appends events that refer to them, erases events, and removes unused contents.
  case attaching
  /// It closes, reopens, truncates, erases and applies retention rules.
  case retiring
  /// It appends personal fields, and rotates and drops their keys. A build without libsodium has none of it.
  case forgetting
}

/// One operation of a workload that ends the lives of events, as its seed and the state before it decide.
enum LifeOperation: Equatable, Sendable {
  /// Appends events that refer to contents; a content is known by its number.
  case append(stream: Int, contents: [[UInt8]])
  /// Attaches a content for no event.
  case attach(UInt8)
  case close(stream: Int)
  case reopen(stream: Int)
  case truncate(stream: Int, before: UInt64)
  /// Keeps this number of events of each stream, and hides the others.
  case retain(count: Int)
  case erase([UInt64])
  case eraseStream(Int)
  /// Runs a pass, and removes what is not used.
  case compact

  /// The number of streams.
  static let streams = 3

  /// Returns the operation with a number.
  static func make(_ number: Int, _ lives: Lives, seed: UInt64, after model: LifeModel) -> LifeOperation {
    var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    let stream = Int.random(in: 0..<streams, using: &random)
    func append() -> LifeOperation {
      let contents = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        lives == .attaching && Int.random(in: 0..<4, using: &random) > 0
          ? (0..<Int.random(in: 1...2, using: &random)).map { _ in UInt8.random(in: 0..<6, using: &random) }
          : []
      }
      return .append(stream: stream, contents: contents)
    }
    func positions() -> LifeOperation {
      guard model.last > 0 else { return append() }
      let first = UInt64.random(in: 1...model.last, using: &random)
      return .erase(Array(first...min(model.last, first + UInt64.random(in: 0...3, using: &random))))
    }
    let known = model.streams[stream]
    switch (lives, Int.random(in: 0..<20, using: &random)) {
    case (.attaching, 0..<10), (.retiring, 0..<8), (.none, _):
      return known?.isClosed == true ? .reopen(stream: stream) : append()
    case (.attaching, 10..<12): return .attach(UInt8.random(in: 6..<9, using: &random))
    case (.attaching, 12..<16), (.retiring, 8..<11): return positions()
    case (_, 18...): return .compact
    case (_, 11) where known != nil: return .close(stream: stream)
    case (_, 12) where known != nil: return .reopen(stream: stream)
    case (_, 13..<15) where known != nil:
      return .truncate(stream: stream, before: UInt64.random(in: 0...(known?.next ?? 0), using: &random))
    case (_, 15): return .retain(count: Int.random(in: 1...6, using: &random))
    case (_, 16..<18) where known != nil: return .eraseStream(stream)
    default: return append()
    }
  }
}
