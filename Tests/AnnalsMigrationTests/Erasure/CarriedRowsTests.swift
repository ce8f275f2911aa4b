import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// Rows that a view keeps over an erasure, of more bytes than the map of a new file has room for.
@Suite struct CarriedRowsTests {
  private typealias Lines = ErasingProjections.Lines

  @Test(arguments: [(4_000, 10_000), (60, 1_000_000)])
  func `rows of forty and more megabytes are carried over`(count: Int, size: Int) async throws {
    let customers = try ErasedCustomers()
    let store = try customers.store()
    let text = String(repeating: "x", count: size)
    let step = max(1, 2_000_000 / size)
    for first in stride(from: 0, to: count, by: step) {
      try await store.append(
        (first..<min(first + step, count)).map { .opened(.init(name: text, code: $0)) }, to: "a")
    }
    let view = try store.view(Lines.self)
    try await view.waitUntil(Position(UInt64(count)))
    let folded = ErasingProjections.folded.withLock { $0[store.log.id]?.count }
    let report = try store.erase([3], by: "jane", because: "request")
    try await store.view(Lines.self).waitUntilBuilt()
    try await view.waitUntil(report.recorded[0])
    let rows = try view.read { (rows) throws(AnnalsError) in
      (
        try rows.count(RowQuery(Lines.Line.self)), try rows.get(Lines.Line.self, 3),
        try rows.get(Lines.Line.self, UInt64(count))?.text.utf8.count
      )
    }
    #expect(rows.0 == count - 1)
    #expect(rows.1 == nil && rows.2 == size)
    #expect(ErasingProjections.folded.withLock { $0[store.log.id]?.count } == folded)
  }
}
