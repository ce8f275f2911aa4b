@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB
import Testing

extension PassTrial {
  /// Expects that the readable events are the initial ones and those of answered calls.
  ///
  /// - Parameters:
  ///   - place: The preceding step, for the report.
  ///   - writers: The numbers of the writers.
  ///   - others: Further events that may be there.
  func checkReading(
    _ place: String, writers: [Int] = [], others: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let problems = try problems(writers, others: others)
    #expect(problems == [], "\(place)", sourceLocation: sourceLocation)
  }

  /// Expects that the store is whole, that one generation takes appends, and that nothing is left of a pass.
  func checkOrder(_ place: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let disorder = try disorder()
    #expect(disorder == [], "\(place)", sourceLocation: sourceLocation)
  }
}
