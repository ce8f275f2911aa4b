import Annals
import AnnalsLog
import Foundation

/// Stores as libraries left them whose records in the journal had no hash.
enum EarlierStore {
  /// Makes a store one of them.
  static func make(_ url: URL) throws {
    let log = try EventLog(at: url, options: Workload.options(.full))
    let generation = log.core.generation
    try generation.environment.write(within: .seconds(10)) { (transaction) throws(AnnalsError) in
      try transaction.release(.journalHash, generation.tables)
    }
  }
}
