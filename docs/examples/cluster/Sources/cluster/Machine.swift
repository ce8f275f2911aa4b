import AnnalsCluster
import Foundation

/// The program of one machine. It answers one request a line: `book SEAT NAME`, or `list POSITION`.
enum Machine {
  static func run(_ url: URL, _ servers: [String]) async throws {
    var options = ClusterOptions()
    // The election of a leader among the servers takes some seconds.
    options.deadline = .seconds(180)
    let cluster = try await ClusterStore(
      at: url, plan: SeatPlan.self, log: .jetStream(servers: servers, name: "seats"), cluster: options,
      inline: [Bookings.self], warn: { _ in })
    print("ready")
    fflush(nil)
    while let request = readLine() {
      let words = request.split(separator: " ").map(String.init)
      switch words.first {
      case "book": print(await book(words[1], words[2], cluster))
      case "list": print(try await list(cluster, after: Position(UInt64(words[1]) ?? 0)))
      default: print(cluster.status?.hash ?? "no status")
      }
      fflush(nil)
    }
  }

  private static func book(_ seat: String, _ name: String, _ cluster: ClusterStore<SeatPlan>) async -> String
  {
    do {
      let appended = try await cluster.store.append(
        [.booked(.init(seat: seat, name: name))], to: StreamName("seat \(seat)"))
      return "booked \(seat) for \(name) at position \(appended.positions[0])"
    } catch let error as AnnalsError where error.code == .rejected {
      return "refused: seat \(seat) is taken"
    } catch {
      return "failed: \(error)"
    }
  }

  /// Waits for the entry at `position`, which another machine may have written, and reads without the servers.
  private static func list(_ cluster: ClusterStore<SeatPlan>, after position: Position) async throws -> String
  {
    try await cluster.waitUntil(position, within: .seconds(180))
    var seats: [String] = []
    for try await entry in try cluster.store.entries() {
      guard case .booked(let booked) = entry.event else { continue }
      seats.append("\(booked.seat) \(booked.name)")
    }
    return seats.joined(separator: ", ")
  }
}
