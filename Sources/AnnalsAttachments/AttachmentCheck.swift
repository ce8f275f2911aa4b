package import AnnalsCoding
package import AnnalsLog
package import AnnalsVerify

/// Compares the contents of attachments with the entries that refer to them.
package struct AttachmentCheck {
  /// The contents that entries refer to, each with the first position.
  private let positions: [ContentHash: Position]
  private let blobs: BlobDirectory?

  /// Reads which contents the entries of a snapshot refer to.
  package init(_ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    positions = try snapshot.reader.attachments()
    blobs = try BlobDirectory.open(in: snapshot.generation.directory)
  }

  /// Adds a finding for each content that is missing or differs from its hash.
  ///
  /// - Complexity: O(bytes of the contents).
  package func run(_ report: inout VerifyReport) throws(AnnalsError) {
    for (hash, position) in positions.sorted(by: { $0.value < $1.value }) {
      do throws(AnnalsError) {
        var reader = try BlobReader(hash, size: nil, in: blobs)
        while try reader.next() != nil {}
      } catch {
        guard error.code == .missingAttachment || error.code == .damaged else { throw error }
        report.add(
          Finding(
            place: "position \(position)", position: position,
            problem: error.code == .damaged
              ? "the content of its attachment \(hash) is damaged"
              : "the content of its attachment \(hash) is missing",
            repair: .restore))
      }
    }
  }
}
