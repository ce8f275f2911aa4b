import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

extension EventLog {
  /// What becomes of a call, in the words of the array model.
  func outcome(of parts: [ArrayModel.Part]) async throws -> ArrayModel.Outcome {
    do throws(AnnalsError) {
      let appended = try await append { call in
        for part in parts {
          call.append(
            part.events.map {
              NewEntry(type: $0.type, version: $0.version, payload: Payload(stored: $0.payload), id: $0.id)
            }, to: part.stream, expecting: part.expectation)
        }
      }
      let positions = appended.positions.map(\.rawValue)
      return appended.wasRepeated ? .repeated(positions) : .stored(positions)
    } catch {
      switch error.code {
      case .duplicateID: return .duplicateID(try #require(error.details.id))
      case .partialDuplicate: return .partialDuplicate
      case .conflict: return .conflict(error.details.violations)
      default: throw error
      }
    }
  }
}
