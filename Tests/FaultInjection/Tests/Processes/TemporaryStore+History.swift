import Annals
import FaultPrograms
import Foundation

extension TemporaryStore {
  /// Creates the store and closes it.
  func create() throws { _ = try EventLog(at: url) }

  /// The errors in the store, by its own account and by that of its users.
  ///
  /// A store that contradicts itself is not opened: LMDB would end this process.
  func problems(with history: History) throws -> [String] {
    let report: VerifyReport
    do throws(AnnalsError) { report = try EventLog.verify(url) } catch { return ["\(error)"] }
    guard report.isClean else { return report.findings.map { "\($0.place): \($0.problem)" } }
    return try history.problems(with: StoreContent(url))
  }
}
