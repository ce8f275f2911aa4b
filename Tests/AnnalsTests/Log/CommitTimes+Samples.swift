@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

extension CommitTimes {
  /// All samples of a log, in order.
  static func samples(of log: EventLog) throws -> [Sample] {
    try log.read { (snapshot) throws(AnnalsError) in
      var samples: [Sample] = []
      try snapshot.reader.eachTimes(from: 1) { (_, chunk) throws(AnnalsError) in
        samples += try chunk.get().samples
        return true
      }
      return samples
    }
  }
}
