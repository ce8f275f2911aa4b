import Annals
import AnnalsCoding
import Foundation

/// Runs the operations of a workload that ends the lives of events, one after another.
struct LifeWorkload {
  /// The number of operations after which the store is closed and opened again.
  private static let session = 12

  let workload: Workload
  let url: URL
  let journal: CallJournal

  func run() async throws {
    var model = LifeModel()
    var log: EventLog?
    for number in workload.calls {
      if number % Self.session == 0 { log = nil }
      let opened = try log ?? EventLog(at: url, options: Workload.options(.full))
      log = opened
      let operation = LifeOperation.make(number, workload.lives, seed: workload.seed, after: model)
      try journal.note(.begin(number))
      try await operation.run(in: opened, at: url)
      try journal.note(.done(number))
      model = model.states(of: operation).last ?? model
    }
  }
}

extension LifeOperation {
  /// The name of a stream.
  static func name(_ stream: Int) -> StreamName { StreamName("life-\(stream)") }

  /// The content with a number.
  static func content(_ number: UInt8) -> Data { Data(repeating: number, count: 4_200 + 300 * Int(number)) }

  /// The hash of the content with a number.
  static func hash(_ number: UInt8) -> ContentHash? { ContentHash(SHA256.hash(Array(content(number)))) }

  /// Performs the operation.
  func run(in log: EventLog, at url: URL) async throws {
    switch self {
    case .append(let stream, let contents):
      let events = try contents.map { numbers in
        NewEntry(
          type: "Lived", version: nil, payload: try Payload(.map([])),
          attachments: try numbers.map { try log.attach(Self.content($0)) })
      }
      _ = try await log.append(events, to: Self.name(stream))
    case .attach(let number): _ = try log.attach(Self.content(number))
    case .close(let stream): _ = try await log.close(Self.name(stream))
    case .reopen(let stream): _ = try await log.reopen(Self.name(stream))
    case .truncate(let stream, let oldest):
      _ = try await log.truncate(Self.name(stream), before: Revision(oldest))
    case .retain(let count):
      try await log.setRetention(RetentionRule(streamPrefix: "life-", maximumCount: UInt64(count)))
      try log.retain()
    case .erase(let positions):
      try log.erase(positions.map { Position($0) }, by: "test", because: "power")
    case .eraseStream(let stream):
      try log.erase(stream: Self.name(stream), by: "test", because: "power")
    case .compact: try await Self.compact(log, at: url)
    }
  }

  /// Runs a pass without a grace period for contents, and removes the older generation.
  static func compact(_ log: EventLog, at url: URL) async throws {
    var options = Passes.options()
    options.attachmentGrace = .zero
    _ = try await log.compact(options).report()
    try await Passes.discard(url)
  }
}
