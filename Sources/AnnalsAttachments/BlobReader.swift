package import AnnalsCoding
internal import AnnalsLog
internal import LMDB

/// Reads the content of an attachment in pieces, and compares it with its hash.
package struct BlobReader: ~Copyable {
  private let file: File
  private let hash: ContentHash
  private var digest = SHA256()
  private var offset = 0
  private let size: Int

  /// The number of bytes of a piece; the last one may have fewer.
  package static let piece = 1 << 18

  /// Opens the file of a content.
  ///
  /// - Parameter size: The size that the attachment states; `nil` if it is not known.
  /// - Throws: ``AnnalsError`` with code `missingAttachment` if there is none, and `damaged` for a file of
  ///   another size.
  package init(_ hash: ContentHash, size: UInt64?, in blobs: BlobDirectory?) throws(AnnalsError) {
    guard let blobs else { throw AnnalsError(missingAttachment: hash) }
    let file = try Self.open(hash, in: blobs)
    let found = try files { () throws(StoreFileError) in try file.status().size }
    if let size, UInt64(found) != size { throw AnnalsError(damagedAttachment: hash) }
    // Without a byte there is no piece with which the hash would be compared.
    if found == 0, Self.isOther(digest, hash) { throw AnnalsError(damagedAttachment: hash) }
    self.file = file
    self.hash = hash
    self.size = found
  }

  /// Reads the next piece. The last one is returned only if the whole content has the hash.
  ///
  /// - Returns: `nil` after the last piece.
  /// - Throws: ``AnnalsError`` with code `damaged` for another content than was attached.
  package mutating func next() throws(AnnalsError) -> [UInt8]? {
    guard offset < size else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(Self.piece, size - offset))
    let place = offset
    var span = bytes.mutableSpan
    let count = try files { () throws(StoreFileError) in try file.read(into: &span, at: place) }
    guard count == bytes.count else { throw AnnalsError(damagedAttachment: hash) }
    digest.update(bytes.span)
    offset += count
    if offset == size, Self.isOther(digest, hash) { throw AnnalsError(damagedAttachment: hash) }
    return bytes
  }

  /// Whether a file has the content of its name.
  ///
  /// - Returns: `false` also if there is no such file.
  static func isWhole(
    _ hash: ContentHash, size: UInt64?, in blobs: BlobDirectory
  ) throws(AnnalsError) -> Bool {
    do throws(AnnalsError) {
      var reader = try BlobReader(hash, size: size, in: blobs)
      while try reader.next() != nil {}
      return true
    } catch {
      guard error.code == .damaged || error.code == .missingAttachment else { throw error }
      return false
    }
  }

  /// Opens the file of a content.
  static func open(_ hash: ContentHash, in blobs: BlobDirectory) throws(AnnalsError) -> File {
    do throws(StoreFileError) { return try blobs.directory.open(BlobName.file(hash), .read) } catch .missing {
      throw AnnalsError(missingAttachment: hash)
    } catch {
      throw AnnalsError(error)
    }
  }

  private static func isOther(_ digest: SHA256, _ hash: ContentHash) -> Bool {
    digest.finalize() != hash.bytes
  }
}

extension AnnalsError {
  /// The error for a content that differs from its hash.
  package init(damagedAttachment hash: ContentHash) {
    self.init(
      .damaged,
      "the file 'blobs/\(hash)' does not have the content that was attached; restore it from a backup",
      details: Details { $0.file = "blobs/\(hash)" })
  }
}
