package import AnnalsCoding
package import AnnalsLog
package import AnnalsVerify
internal import LMDB

/// Compares the contents of attachments with the entries that refer to them.
package struct AttachmentCheck {
  /// The contents that entries refer to, each with the first position.
  private let positions: [ContentHash: Position]
  /// The store's directory.
  private let directory: Directory

  /// Reads which contents the entries of a snapshot refer to.
  package init(_ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    positions = try snapshot.reader.attachments()
    directory = snapshot.generation.directory
  }

  /// Adds a finding for each content that is missing, differs from its hash or cannot be read.
  ///
  /// - Complexity: O(bytes of the contents).
  package func run(_ report: inout VerifyReport) {
    let blobs: BlobDirectory?
    do throws(AnnalsError) { blobs = try BlobDirectory.open(in: directory) } catch {
      report.add(error, place: "directory '\(BlobName.directory)'")
      return
    }
    for (hash, position) in positions.sorted(by: { $0.value < $1.value }) {
      do throws(AnnalsError) {
        var reader = try BlobReader(hash, size: nil, in: blobs)
        while try reader.next() != nil {}
      } catch {
        let problem =
          switch error.code {
          case .damaged: "is damaged"
          case .missingAttachment: "is missing"
          default: "cannot be read: \(error.message)"
          }
        report.add(
          Finding(
            place: "position \(position)", position: position,
            problem: "the content of its attachment \(hash) \(problem)", repair: .restore))
      }
    }
  }
}
