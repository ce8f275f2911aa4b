package import AnnalsCoding
package import AnnalsLog
package import AnnalsVerify
internal import LMDB

/// Compares the contents of attachments with the entries that refer to them.
package struct AttachmentCheck {
  private let log: EventLog
  /// The contents that entries refer to, each with the first position.
  private let positions: [ContentHash: Position]

  /// Reads which contents the entries of a log refer to.
  package init(_ log: EventLog) throws(AnnalsError) {
    self.log = log
    positions = try Self.positions(in: log)
  }

  /// Adds a finding for each content that is missing, differs from its hash or cannot be read.
  ///
  /// Others may erase events meanwhile, and remove their contents. So a content with a problem is read again
  /// if entries still refer to it then.
  ///
  /// - Complexity: O(bytes of the contents), and O(entries) if there is a problem.
  package func run(_ report: inout VerifyReport) throws(AnnalsError) {
    let blobs: BlobDirectory?
    do throws(AnnalsError) { blobs = try BlobDirectory.open(in: log.core.generation.directory) } catch {
      report.add(error, place: "directory '\(BlobName.directory)'")
      return
    }
    let suspects = positions.keys.filter { Self.problem(of: $0, in: blobs) != nil }
    guard !suspects.isEmpty else { return }
    let later = try Self.positions(in: log)
    let known = suspects.compactMap { hash in later[hash].map { (hash, $0) } }
    for (hash, position) in known.sorted(by: { $0.1 < $1.1 }) {
      guard let problem = Self.problem(of: hash, in: blobs) else { continue }
      report.add(
        Finding(
          place: "position \(position)", position: position,
          problem: "the content of its attachment \(hash) \(problem)", repair: .restore))
    }
  }

  private static func positions(in log: EventLog) throws(AnnalsError) -> [ContentHash: Position] {
    try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.attachments() }
  }

  /// What is wrong with a content; `nil` if it is whole.
  private static func problem(of hash: ContentHash, in blobs: BlobDirectory?) -> String? {
    do throws(AnnalsError) {
      var reader = try BlobReader(hash, size: nil, in: blobs)
      while try reader.next() != nil {}
      return nil
    } catch {
      return switch error.code {
      case .damaged: "is damaged"
      case .missingAttachment: "is missing"
      default: "cannot be read: \(error.message)"
      }
    }
  }
}
