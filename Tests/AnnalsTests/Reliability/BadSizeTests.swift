import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Sizes that LMDB's records claim and that no file of this length can have.
@Suite struct BadSizeTests {
  @Test(arguments: [8, 16, 24, 32]) func `sizes in a table's record that cannot be are damage`(field: Int)
    async throws
  {
    let place = try TemporaryStore()
    try await Specimen.create(at: place.url)
    let file = place.url.appendingPathComponent(Specimen.file)
    var bytes = try Data(contentsOf: file)
    var start = bytes.startIndex
    var changed = 0
    // The record follows the table's name in a leaf of the main table; older copies are changed too.
    while let name = bytes.range(of: Data("entries".utf8), in: start..<bytes.endIndex) {
      let top = name.upperBound + field + 7
      if top < bytes.endIndex, bytes[name.upperBound + 4] == 8 {
        bytes[top] |= 0x80
        changed += 1
      }
      start = name.upperBound
    }
    #expect(changed > 0)
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
    let error = #expect(throws: AnnalsError.self) { try EventLog.inspect(place.url) }
    #expect(error?.code == .damaged)
  }
}
