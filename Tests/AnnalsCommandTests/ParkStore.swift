import Annals
import Foundation

extension TemporaryDirectory {
  /// The time of every event.
  static let time = Date(timeIntervalSince1970: 1_704_067_200)

  /// A store with five events of the first version: one for each record, and a visit without visitors.
  func parks(withFailure isFailing: Bool = true) async throws -> String {
    let store = try EventStore(at: URL(filePath: self.store), plan: ParkFirst.self)
    func new(_ event: ParksV1.Event, id: String? = nil, _ metadata: Metadata = [:]) -> NewEvent<ParksV1.Event>
    {
      NewEvent(event, id: id.flatMap { UUID(uuidString: $0) }, metadata: metadata, time: Self.time)
    }
    try await store.append(
      [
        new(
          .parkOpened(.init(name: "Mill", city: "Nantes")), id: "00000000-0000-4000-8000-000000000007",
          ["user": "7"]),
        new(.treesPlanted(.init(kind: "oak", count: 2))), new(.inspected(.init(by: "Ann"))),
        new(.visited(.init(people: 12))),
      ], to: "park/1")
    if isFailing { try await store.append([new(.visited(.init(people: 0)))], to: "park/2") }
    return self.store
  }
}
