@testable import LMDB

extension CommitRecord {
  /// An image with the records of its journal as earlier libraries wrote them.
  static func madeEarlier(in image: [UInt8], _ journal: CommitJournal) -> [UInt8] {
    var image = image
    for parity in 0..<2 {
      let start = journal.offset + parity * CommitJournal.slotSize
      let size = Int(image.span.number32(at: start + 16))
      guard Array(image[start..<start + 8]) == Array("AnnalsJ2".utf8) else { continue }
      let changes = Array(image[start + headerSize..<start + size])
      var record = Array("AnnalsJ1".utf8) + image[start + 8..<start + 44]
      for index in 0..<4 { record[16 + index] = UInt8(truncatingIfNeeded: (size - 12) >> (8 * index)) }
      let checksum = crc32c(crc32c(0, record.span), changes.span)
      for index in 0..<4 { record.append(UInt8(truncatingIfNeeded: checksum >> (8 * index))) }
      record += changes
      image.replaceSubrange(start..<start + record.count, with: record)
    }
    return image
  }
}
