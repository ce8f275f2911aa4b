package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension StoreReader {
  /// The row that the index of ids has for an entry; `nil` for an entry without an id.
  package func idRow(_ bytes: Span<UInt8>, at position: Position) throws(AnnalsError) -> IDRow? {
    let header = try header(bytes, at: position)
    guard header.flags.contains(.id) else { return nil }
    return IDRow(
      stream: header.stream, id: UUID(bytes, at: header.id.lowerBound), revision: header.revision)
  }
}
