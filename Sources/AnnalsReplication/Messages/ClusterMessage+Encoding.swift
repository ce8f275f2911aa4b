internal import AnnalsAttachments
package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension ClusterMessage {
  /// The message as bytes.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a call that no other machine could repeat.
  package func encoded() throws(AnnalsError) -> [UInt8] {
    var bytes = kind.beginning(log)
    switch body {
    case .genesis(let genesis):
      bytes.append(varint: genesis.window)
      bytes.append(varint: UInt64(genesis.rules.count))
      for rule in genesis.rules {
        bytes.append(counted: rule.name.utf8)
        bytes.append(varint: rule.version)
      }
    case .append(let request, let id):
      id.append(to: &bytes)
      try request.append(to: &bytes)
    case .change(let change, let id):
      id.append(to: &bytes)
      if case .roll(let step) = change.work { step.append(to: &bytes) } else { change.append(to: &bytes) }
    case .audit(let audit):
      bytes += audit.machine.bytes
      bytes.append(varint: audit.commits)
      bytes.append(varint: audit.position)
      bytes.append(littleEndian: audit.hash.low)
      bytes.append(littleEndian: audit.hash.high)
    case .calls(let calls):
      bytes.append(varint: UInt64(calls.count))
      for call in calls { bytes.append(counted: call.bytes) }
    }
    bytes.append(littleEndian: Checksum.crc32c(bytes.span))
    return bytes
  }

  private var kind: Kind {
    switch body {
    case .genesis: .genesis
    case .append: .append
    case .change(let change, _):
      switch change.work {
      case .roll(let step): step.rules.isEmpty ? .roll : .activation
      case .limit(.retain): .retention
      default: .change
      }
    case .audit: .audit
    case .calls: .calls
    }
  }
}

extension [UInt8] {
  /// Appends a position or a revision. None in a log is larger than those that a message can have, so the
  /// largest of these means the same.
  fileprivate mutating func append(place: UInt64) {
    append(varint: Swift.min(place, FormatRange.counts.upperBound))
  }
}

extension CommitID {
  func append(to bytes: inout [UInt8]) {
    bytes += id.bytes
    bytes.append(varint: base)
  }
}

extension RolloutStep {
  /// The kind of step, the stability and the version. An activation that changes inline projections has them
  /// in place of the kind of step.
  fileprivate func append(to bytes: inout [UInt8]) {
    if rules.isEmpty { bytes.append(kind.rawValue) }
    bytes.append(RecordFlag.number(of: stability))
    version.append(to: &bytes)
    if rules.isEmpty { return }
    for rules in [rules.begins, rules.ends] {
      bytes.append(varint: UInt64(rules.count))
      for rule in rules {
        bytes.append(counted: rule.name.utf8)
        bytes.append(varint: rule.version)
      }
    }
  }
}

extension SchemaVersion {
  fileprivate func append(to bytes: inout [UInt8]) {
    for number in [major, minor, patch] { bytes.append(varint: UInt64(number)) }
  }
}

extension AppendRequest {
  /// Record types, parts, events and conditions, in this order.
  func append(to bytes: inout [UInt8]) throws(AnnalsError) {
    guard sight == nil else {
      throw AnnalsError(
        .wrongUse,
        "a store of a cluster takes no import, because each machine would compare it with another state: append the events"
      )
    }
    // Those of less than 4 KiB are in the payload, and no file belongs to them.
    guard attachments.isEmpty else { throw AnnalsError.tooLargeForCluster }
    bytes.append(varint: UInt64(records.count))
    for record in records { try append(record, to: &bytes) }
    bytes.append(varint: UInt64(parts.count))
    for part in parts {
      bytes.append(counted: part.stream.text.utf8)
      part.expectation.append(to: &bytes)
      bytes.append(varint: UInt64(part.items.count))
    }
    for item in items { try append(item, to: &bytes) }
    bytes.append(varint: UInt64(conditions.count))
    for condition in conditions {
      bytes.append(place: condition.after?.rawValue ?? 0)
      condition.shared.append(to: &bytes)
    }
  }

  private func append(_ record: Record, to bytes: inout [UInt8]) throws(AnnalsError) {
    guard record.shape?.personal == nil else {
      throw AnnalsError(
        .wrongUse,
        "a store of a cluster takes no events with personal fields, because their keys are in a file of one machine",
        details: AnnalsError.Details { $0.type = record.type.text })
    }
    let oldest =
      record.oldestReader ?? oldestReader(of: record.type, version: record.version, shape: record.shape)
    var flags: UInt8 = 0
    if record.version != nil { flags |= RecordFlag.version }
    if record.shape != nil { flags |= RecordFlag.shape }
    if oldest != nil { flags |= RecordFlag.oldestReader }
    bytes.append(counted: record.type.text.utf8)
    bytes.append(flags)
    bytes.append(RecordFlag.number(of: record.stability))
    record.version?.append(to: &bytes)
    if let shape = record.shape { bytes.append(counted: shape.text.utf8) }
    oldest?.append(to: &bytes)
  }

  private func append(_ item: Item, to bytes: inout [UInt8]) throws(AnnalsError) {
    let isShared = withBytes(of: item) { payload, metadata in
      append(item, payload, metadata, to: &bytes)
      return Self.canBeShared(payload) && Self.canBeShared(metadata)
    }
    guard isShared else {
      throw AnnalsError(
        .tooLarge,
        "a payload or metadata of '\(records[item.record].type.text)' nests more than \(CBOR.typedDepthLimit) levels, and messages of a cluster take no more; nothing was written",
        details: AnnalsError.Details { $0.type = records[item.record].type.text })
    }
  }

  /// Whether messages of a cluster take a payload, as far as its nesting says.
  private static func canBeShared(_ payload: Span<UInt8>) -> Bool {
    // Each level has a byte of its own.
    if payload.count <= CBOR.typedDepthLimit { return true }
    do throws(CodingFailure) {
      try PayloadCheck.validate(payload, levels: CBOR.typedDepthLimit)
      return true
    } catch {
      return error.reason != .tooDeep
    }
  }

  private func append(
    _ item: Item, _ payload: Span<UInt8>, _ metadata: Span<UInt8>, to bytes: inout [UInt8]
  ) {
    let tags = tags(of: item)
    var flags: UInt8 = 0
    if item.id != nil { flags |= ItemFlag.id }
    if !metadata.isEmpty { flags |= ItemFlag.metadata }
    // The time of the call is that of its message, which every machine reads.
    if item.time != time { flags |= ItemFlag.time }
    if !tags.isEmpty { flags |= ItemFlag.tags }
    bytes.append(varint: UInt64(item.record))
    bytes.append(flags)
    if let id = item.id { bytes += id.bytes }
    if !metadata.isEmpty { bytes.append(counted: metadata) }
    if item.time != time { bytes.append(littleEndian: UInt64(bitPattern: item.time)) }
    if !tags.isEmpty {
      bytes.append(varint: UInt64(tags.count))
      for tag in tags { bytes.append(counted: tag.text.utf8) }
    }
    bytes.append(counted: payload)
  }
}

extension Expectation {
  fileprivate func append(to bytes: inout [UInt8]) {
    switch self {
    case .any: bytes.append(0)
    case .noStream: bytes.append(1)
    case .exists: bytes.append(2)
    case .revision(let revision):
      bytes.append(3)
      bytes.append(place: revision.rawValue)
    }
  }
}

extension SharedQuery {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(varint: UInt64(items.count))
    for item in items {
      bytes.append((item.types == nil ? 0 : 1) | (item.newerThan == nil ? 0 : 2))
      if let types = item.types {
        bytes.append(varint: UInt64(types.count))
        for type in types.sorted(by: { $0.precedes($1) }) { type.append(to: &bytes) }
      }
      item.newerThan?.append(to: &bytes)
      bytes.append(varint: UInt64(item.tags.count))
      for tag in item.tags { bytes.append(counted: tag.text.utf8) }
    }
  }
}

extension SharedQuery.StoredType {
  private var order: (UInt8, SchemaVersion) {
    switch versions {
    case .all: (0, SchemaVersion(0, 0, 0))
    case .none: (1, SchemaVersion(0, 0, 0))
    case .only(let version): (2, version)
    }
  }

  fileprivate func precedes(_ other: SharedQuery.StoredType) -> Bool {
    if name != other.name { return name < other.name }
    return order < other.order
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(counted: name.text.utf8)
    bytes.append(order.0)
    if case .only(let version) = versions { version.append(to: &bytes) }
  }
}

extension LogChange {
  /// Author, reason and kind of change, then what it names.
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(counted: author.utf8)
    bytes.append(counted: reason.utf8)
    switch work {
    case .limit(.close(let stream)):
      bytes.append(0)
      bytes.append(counted: stream.text.utf8)
    case .limit(.reopen(let stream)):
      bytes.append(1)
      bytes.append(counted: stream.text.utf8)
    case .limit(.truncate(let wanted)):
      bytes.append(2)
      bytes.append(varint: UInt64(wanted.count))
      for (stream, revision) in wanted {
        bytes.append(counted: stream.text.utf8)
        // One more, so that 0 is left for all events.
        bytes.append(place: revision.map { Swift.min($0.rawValue, .max - 1) + 1 } ?? 0)
      }
    // A message of its own kind.
    case .limit(.retain(let wanted)):
      bytes.append(counted: wanted.rules)
      bytes.append(varint: UInt64(wanted.streams.count))
      for (name, id, oldest) in wanted.streams {
        bytes.append(counted: name.text.utf8)
        bytes.append(varint: id.rawValue)
        bytes.append(varint: oldest.rawValue)
      }
    case .erase(let positions):
      bytes.append(3)
      PositionRanges(positions).append(to: &bytes)
      bytes.append(erasedStream == nil ? 0 : 1)
      if let erasedStream {
        bytes.append(counted: erasedStream.name.text.utf8)
        bytes.append(varint: erasedStream.head.rawValue)
      }
    case .retain(let rule, let isRemoved):
      bytes.append(4)
      bytes.append(isRemoved ? 1 : 0)
      bytes.append(counted: rule.prefix.utf8)
      bytes.append(varint: rule.maximumCount ?? 0)
      bytes.append(varint: UInt64(max(rule.maximumAge?.components.seconds ?? 0, 0)))
    // A message of its own kind.
    case .roll: break
    }
  }
}
