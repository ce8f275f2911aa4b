import Annals
import AnnalsCoding
import AnnalsLog
import AnnalsReplication
import Foundation

/// Calls of one event each, as a machine that was away finds them, and the same events in a store of one
/// machine.
struct Backlog: Sendable {
  /// The number of tasks that make the calls.
  static let writers = 128
  /// The number of streams.
  static let streams = 256
  private static let event = RoomsV1.Event.noted(.init(mark: 1))

  /// A way in which the events get into a store.
  enum Way: String, CaseIterable {
    /// By a member of a cluster, from messages with one call each.
    case messages = "backlog, a message for each call"
    /// By a member, from messages that calls share which waited at the same time.
    case shared = "backlog, shared messages"
    /// By a plain store, in calls of 1,000 events.
    case thousands = "plain store, calls of 1,000"
    /// By a plain store, in calls of one event from as many tasks as have made the backlog.
    case tasks = "plain store, calls of one from 128 tasks"
  }

  let directory: URL
  /// The number of events, each of a call of its own.
  let count: Int
  private let shared: [ReplicatedMessage]
  private let single: [ReplicatedMessage]

  /// Lets a member of a cluster make the calls.
  init(_ calls: Int, in directory: URL) async throws {
    self.directory = directory
    count = calls / Self.writers * Self.writers
    let log = ShelfLog()
    let member = try await Self.open(directory.appendingPathComponent("writer"), log)
    try await Self.append(calls / Self.writers, to: member.store)
    shared = log.messages
    single = try Self.alone(shared)
  }

  /// Returns the calls of messages in a message each.
  private static func alone(_ messages: [ReplicatedMessage]) throws -> [ReplicatedMessage] {
    var list = Array(messages.prefix(1))
    let shapes = ShapeMemory()
    func add(_ request: AppendRequest, _ id: UUID, _ log: UUID) throws {
      let sequence = UInt64(list.count + 1)
      let message = ClusterMessage(log: log, .append(request, CommitID(id: id, base: sequence - 1)))
      list.append(ShelfLog.message(try message.encoded(), at: sequence))
    }
    for message in messages.dropFirst() {
      guard case .message(let decoded) = DecodedMessage(message.bytes, time: message.time, shapes) else {
        throw CocoaError(.coderReadCorrupt)
      }
      switch decoded.body {
      case .append(let request, let commit): try add(request, commit.id, decoded.log)
      case .calls(let calls):
        for case let call? in calls.map(\.call) { try add(call.request, call.commit.id, decoded.log) }
      default: break
      }
    }
    return list
  }

  private static var options: StoreOptions {
    var options = StoreOptions()
    options.durability = .relaxed
    return options
  }

  private static func open(_ url: URL, _ log: ShelfLog) async throws -> ClusterStore<RoomsPlan> {
    try await ClusterStore.open(
      at: url, plan: RoomsPlan.self, log: log, options: options, inline: [RoomBookings.self])
  }

  /// Appends events in calls of their own, so many from each of the tasks.
  private static func append(_ each: Int, to store: EventStore<RoomsPlan>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask {
          for number in 0..<each {
            let stream = StreamName("s\((number &* 7_919 &+ writer) % streams)")
            try await store.append([event], to: stream)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Brings all events into a new store, and removes it afterwards.
  ///
  /// - Returns: The events per second, and the processor time of this process in microseconds for each.
  func run(_ way: Way) async throws -> (rate: Double, processor: Double) {
    // The last task of an earlier member may still have its store open.
    let url = directory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    let (start, processor) = (ContinuousClock.now, ProcessorTime.microseconds)
    switch way {
    case .messages: try await follow(single, at: url)
    case .shared: try await follow(shared, at: url)
    case .thousands: try await appendThousands(at: url)
    case .tasks: try await Self.append(count / Self.writers, to: Self.plain(url))
    }
    let events = Double(count)
    return (
      events / (start.duration(to: .now) / .seconds(1)), (ProcessorTime.microseconds - processor) / events
    )
  }

  private func follow(_ messages: [ReplicatedMessage], at url: URL) async throws {
    let member = try await Self.open(url, ShelfLog(messages))
    try await member.waitUntil(Position(UInt64(count)), within: .seconds(600))
  }

  private static func plain(_ url: URL) throws -> EventStore<RoomsPlan> {
    try EventStore(at: url, plan: RoomsPlan.self, options: options, inline: [RoomBookings.self])
  }

  private func appendThousands(at url: URL) async throws {
    let store = try Self.plain(url)
    for first in stride(from: 0, to: count, by: 1_000) {
      let events = min(1_000, count - first)
      try await store.append { call in
        for stream in 0..<min(Self.streams, events) {
          let part = (events - stream + Self.streams - 1) / Self.streams
          call.append(Array(repeating: Self.event, count: part), to: StreamName("s\(stream)"))
        }
      }
    }
  }
}
