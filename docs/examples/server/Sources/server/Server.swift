import Annals
import Foundation

/// A server that answers one request a line: `weigh PARCEL WEIGHT` in its own unit, or `list`.
struct Server<Plan: SchemaMigrationPlan>: Sendable {
  let store: EventStore<Plan>
  /// Makes the event of a request.
  let event: @Sendable (_ parcel: String, _ weight: Double) -> Plan.Current.Event
  /// Describes an event.
  let text: @Sendable (Plan.Current.Event) -> String

  /// Answers the requests of standard input until it ends.
  func run() async {
    while let request = readLine() {
      let words = request.split(separator: " ").map(String.init)
      let answer: String
      do { answer = try await self.answer(words) } catch let error as AnnalsError {
        answer = "refused: \(error.code)"
      } catch {
        answer = "failed: \(type(of: error))"
      }
      // At once: the other side waits for the line.
      FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
    }
  }

  private func answer(_ words: [String]) async throws -> String {
    switch words.first {
    case "weigh":
      guard words.count == 3, let weight = Double(words[2]) else { return "usage: weigh PARCEL WEIGHT" }
      let appended = try await store.append([event(words[1], weight)], to: "scales")
      return "stored at position \(appended.position?.description ?? "-")"
    case "list":
      var list: [String] = []
      for try await entry in store.entries(in: "scales") { list.append(text(entry.event)) }
      return list.joined(separator: ", ")
    case "activate":
      _ = try store.activate()
      return "active"
    default: return "unknown request"
    }
  }
}

/// Writes a weight with one digit after the point.
func rounded(_ weight: Double) -> Double { (weight * 10).rounded() / 10 }
