#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import AnnalsCoding
import AnnalsShapes
@testable import AnnalsSchema

/// An event as a plan delivered it, with its path.
struct Lifted<Event: SchemaEvent & Equatable>: Equatable {
  let event: Event
  let path: [UInt32]

  init(_ event: Event, _ path: [UInt32] = []) {
    self.event = event
    self.path = path
  }
}

extension Origin {
  /// The first entry of stream `order-1`, with a log id of the bytes 0 to 15.
  static func sample(position: Position = 1, path: [UInt32] = []) -> Origin {
    Origin(
      position: position, path: path, stream: "order-1", revision: 0, timestamp: Timestamp(microseconds: 0),
      id: nil, metadata: [:], log: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
  }
}

extension CompiledPlan {
  /// What comes of `record`, stored under `version`, by the plan `Plan` that this one was compiled from.
  func upcast<Plan: SchemaMigrationPlan>(
    _ record: some Record, _ version: SchemaVersion, as plan: Plan.Type, origin: Origin = .sample()
  ) throws -> [Lifted<Plan.Current.Event>] where Plan.Current.Event: Equatable {
    var payload: [UInt8] = []
    try record.encode(into: &payload)
    let delivery = TypedEventBuffer<Plan.Current.Event>()
    try upcast(
      step(version, type(of: record).recordName), payload: payload.span, origin: origin, into: delivery)
    return delivery.entries.map { Lifted($0.event, $0.path) }
  }

  /// Where a stored type enters the plan, stored as the plan's own record is.
  func step(_ version: SchemaVersion, _ type: String) throws -> Entrance {
    let shape = steps.first { $0.version == version && $0.type == type }?.shape
    return try entrance(of: RecordKind(type: ExactText(type), version: version, shape: shape))
  }
}
