import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import LMDB

/// The state that a change of generations finds, and the changes that it makes.
@Suite struct GenerationChangeTests {
  private func store() async throws -> (TemporaryStore, Generations) {
    let place = try TemporaryStore()
    for number in 0..<3 { try await place.open().append([.placed(number)], to: "a") }
    return (place, Generations(place))
  }

  @Test func `a seal is the commit point, and takes the row of the pass away`() async throws {
    let (place, generations) = try await store()
    let log = try place.open()
    try generations.copy(1, to: 2, epoch: 1, last: 3)
    try generations.begin(1, to: 2)
    do {
      let change = try GenerationChange(place.url, StoreOptions())
      try change.write(in: change.inUse) { (transaction) throws(AnnalsError) in
        try change.seal(&transaction, successor: 2)
        return true
      }
      #expect(try log.info().generation == 2)
      #expect(try change.opening.record().generation == 2)
    }
    #expect(try generations.named() == 2)
    let pass = try generations.read(1) { (reader) throws(AnnalsError) in try reader.pass() }
    #expect(pass == nil)
    let state = try generations.read(1) { (reader) throws(AnnalsError) in try reader.state() }
    #expect(state == .sealed(Seal(successor: 2, epoch: 1)))
  }
}
