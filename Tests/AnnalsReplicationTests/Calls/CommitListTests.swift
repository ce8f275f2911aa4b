import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsReplication

/// The list by which copies of commits are recognised, against an array.
@Suite struct CommitListTests {
  @Test(arguments: RunLength.seeds(4))
  func `an id is found as long as its first commit is there`(seed: UInt64) {
    print("list of commits with seed \(seed)")
    var random = SeededGenerator(seed: seed)
    // Few ids, some of which share a half, so that places are taken and copies come.
    var ids: [UUID] = []
    for number in 0..<300 {
      var bytes = UUID().uuid
      if number % 3 == 0 {
        (bytes.0, bytes.1, bytes.2, bytes.3) = (0, 0, 0, 0)
        (bytes.4, bytes.5, bytes.6, bytes.7) = (0, 0, 0, 0)
      }
      ids.append(UUID(uuid: bytes))
    }
    var list = CommitList()
    var model: [(sequence: UInt64, id: UUID, isFirst: Bool)] = []
    for sequence in 1...UInt64(20_000) {
      let id = ids[Int.random(in: 0..<300, using: &random)]
      model.append((sequence, id, !model.contains { $0.id == id && $0.isFirst }))
      list.append(id, at: sequence)
      // It grows and becomes empty now and then.
      let limit = sequence / 1_000 % 2 == 0 ? 400 : 20
      while model.count > Int.random(in: 0...limit, using: &random) {
        model.removeFirst()
        list.removeFirst()
      }
      #expect(list.count == model.count)
      let other = ids[Int.random(in: 0..<300, using: &random)]
      for id in [id, other] {
        #expect(list.contains(id) == model.contains { $0.id == id && $0.isFirst })
      }
      if let last = model.indices.randomElement(using: &random) {
        #expect(list.sequence(at: last) == model[last].sequence)
      }
    }
  }

  @Test func `a long list gives back what has left`() {
    var list = CommitList()
    let ids = (0..<30_000).map { _ in UUID() }
    for (number, id) in ids.enumerated() {
      list.append(id, at: UInt64(number))
      if number >= 5_000 { list.removeFirst() }
    }
    #expect(list.count == 5_000)
    #expect(ids.suffix(5_000).allSatisfy(list.contains))
    #expect(!ids.prefix(25_000).contains(where: list.contains))
    #expect(list.sequence(at: 0) == 25_000)
  }
}
