import AnnalsCoding
import AnnalsFormat
import AnnalsLog
import AnnalsReplication
import AnnalsSchema
import AnnalsShapes
import Foundation

/// What a cluster's log means, said as simply as possible: an oracle for the machines.
///
/// It shares the decoder of messages with them, and nothing of the decision.
struct ReferenceCluster {
  /// An event that was accepted.
  struct Event: Hashable {
    var stream: String
    var revision: UInt64
    /// The mark of the event, which is the last field of every record; `nil` for an entry of the log itself.
    var mark: Int64?
    var time: Int64
  }

  private(set) var events: [Event] = []
  private var heads: [String: UInt64] = [:]
  private var closed: Set<String> = []
  private var commits: Set<UUID> = []
  /// The ids of events of each stream, with their revisions.
  private var ids: [String: [UUID: UInt64]] = [:]
  private var tags: [(tag: String, position: UInt64)] = []
  /// The version from which on older ones are refused.
  private var active: SchemaVersion?
  /// The number of bookings that the inline projection accepts for a seat.
  private var places = 1
  /// Whether an inline projection lets streams be cleared only while they have an even number of notes.
  private var countsNotes = false
  private var notes: [String: Int] = [:]
  private var time: Int64 = 0
  private let shapes = ShapeMemory()

  /// Takes every message of a log.
  init(_ messages: [ReplicatedMessage]) {
    for message in messages {
      // The machines begin after the first message.
      if message.sequence > 1 { time = max(time, message.time) }
      guard case .message(let decoded) = DecodedMessage(message.bytes, time: time, shapes) else { continue }
      switch decoded.body {
      case .append(let request, let commit):
        if commits.insert(commit.id).inserted { append(request) }
      case .change(let change, let commit):
        if commits.insert(commit.id).inserted { self.change(change) }
      case .calls(let calls):
        for case let (request, commit)? in calls.map(\.call) where commits.insert(commit.id).inserted {
          append(request)
        }
      case .genesis, .audit: continue
      }
    }
  }

  private mutating func append(_ request: AppendRequest) {
    var found = 0
    var known = 0
    for part in request.parts {
      for item in request.items[part.items] {
        guard let id = item.id else { continue }
        known += 1
        if ids[part.stream.text]?[id] != nil { found += 1 }
      }
    }
    // Every call of the test has ids for all of its events or for none.
    if known > 0, found > 0 { return }
    for part in request.parts where !part.items.isEmpty && closed.contains(part.stream.text) { return }
    for part in request.parts {
      let head = heads[part.stream.text]
      switch part.expectation {
      case .any: continue
      case .noStream: if head != nil { return }
      case .exists: if head == nil { return }
      case .revision(let revision): if head != revision.rawValue { return }
      }
    }
    for condition in request.conditions {
      let query = condition.shared
      let after = condition.after?.rawValue ?? 0
      for item in query.items {
        if tags.contains(where: { $0.position > after && item.tags.map(\.text) == [$0.tag] }) { return }
      }
    }
    if let active, request.records.contains(where: { $0.version.map { $0 < active } ?? true }) { return }
    if isRefusedInline(request) { return }
    for part in request.parts {
      for item in request.items[part.items] {
        let stream = part.stream.text
        let revision = heads[stream].map { $0 + 1 } ?? 0
        heads[stream] = revision
        if let id = item.id { ids[stream, default: [:]][id] = revision }
        let mark = request.withBytes(of: item) { payload, _ in Self.mark(payload.copied) }
        events.append(Event(stream: stream, revision: revision, mark: mark, time: item.time))
        for tag in request.tags(of: item) { tags.append((tag.text, UInt64(events.count))) }
        if request.records[item.record].type.text == "Noted" { notes[stream, default: 0] += 1 }
      }
    }
  }

  /// Whether an inline projection refuses a call. Only events that book a seat have tags.
  private func isRefusedInline(_ request: AppendRequest) -> Bool {
    var notes = notes
    for part in request.parts {
      for item in request.items[part.items] {
        for tag in request.tags(of: item) where tags.filter({ $0.tag == tag.text }).count >= places {
          return true
        }
        let type = request.records[item.record].type.text
        if type == "Noted" { notes[part.stream.text, default: 0] += 1 }
        if type == "Cleared", countsNotes, !notes[part.stream.text, default: 0].isMultiple(of: 2) {
          return true
        }
      }
    }
    return false
  }

  /// Takes the changes of the inline projections. The events of the test are refused by none.
  private mutating func roll(_ rules: RuleSwitch) {
    if rules.begins.contains(RuleVersion(name: "bookings", version: 2)) { places = 2 }
    if rules.begins.contains(where: { $0.name == "even-notes" }) { countsNotes = true }
    if rules.ends.contains(where: { $0.name == "even-notes" }) { countsNotes = false }
  }

  private mutating func change(_ change: LogChange) {
    let isChanged: Bool
    switch change.work {
    case .limit(.close(let stream)):
      guard heads[stream.text] != nil else { return }
      isChanged = closed.insert(stream.text).inserted
    case .limit(.reopen(let stream)):
      guard heads[stream.text] != nil else { return }
      isChanged = closed.remove(stream.text) != nil
    case .roll(let step):
      if step.kind == .activate { active = max(active ?? step.version, step.version) }
      return roll(step.rules)
    default: return
    }
    guard isChanged else { return }
    let revision = heads["$annals"].map { $0 + 1 } ?? 0
    heads["$annals"] = revision
    events.append(Event(stream: "$annals", revision: revision, mark: nil, time: time))
  }

  /// The mark in a payload: the last field by shape, or the one called so by name.
  static func mark(_ payload: [UInt8]) -> Int64? {
    guard let value = try? CBOR(payload: payload.span) else { return nil }
    let found: CBOR? =
      switch value {
      case .array(let fields): fields.last
      case .map(let fields): fields.first { $0.key == .text("mark") }?.value
      default: nil
      }
    if case .unsigned(let mark) = found { return Int64(mark) }
    return nil
  }
}

extension EventLog {
  /// The events of the log as the oracle has them.
  func plainEvents() throws -> [ReferenceCluster.Event] {
    try read { (snapshot) throws(AnnalsError) in
      var events: [ReferenceCluster.Event] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        var mark: Int64?
        if case .payload(let payload) = entry.content { mark = ReferenceCluster.mark(payload.bytes) }
        events.append(
          .init(
            stream: entry.stream.text, revision: entry.revision.rawValue, mark: mark,
            time: entry.time.microseconds))
      }
      return events
    }
  }
}
