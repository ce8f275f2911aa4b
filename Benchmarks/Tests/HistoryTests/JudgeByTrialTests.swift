import History
import Testing

/// The judge against a search that tries every order.
@Suite struct `The judge and every order` {
  @Test(arguments: 0..<100) func `agree on random histories`(_ seed: UInt64) throws {
    var random = Lehmer(seed: seed)
    var impossible = 0
    for _ in 0..<100 {
      let story = Story(&random)
      let verdict = try Judge.verdict(on: story.lines)
      #expect(verdict.isImpossible == !story.hasOrder)
      if verdict.isImpossible { impossible += 1 }
    }
    // Of both kinds there are enough.
    #expect((5...95).contains(impossible))
  }
}

/// A random history of a few operations, two or three at a time, with answers that are often right.
private struct Story {
  struct Work {
    var isAppend = false
    var isLost = false
    var isRefused = false
    var count = 0
    var expect: Int?
    var answer = 0
    var begun = 0
    var ended = Int.max
  }

  var lines: [HistoryLine] = []
  private var works: [Work] = []

  init(_ random: inout Lehmer) {
    var pending: [Int: Int] = [:]
    var names = 3
    var length = 0
    while works.count < 6 || !pending.isEmpty {
      let process = Int.random(in: names - 3..<names, using: &random)
      guard let index = pending[process] else {
        if works.count < 6 { pending[process] = begin(process, length, &random) }
        continue
      }
      pending[process] = nil
      end(index, process, &length, &random)
      // Three new names, so that nobody comes back from the dead.
      if works[index].isLost {
        for (other, index) in pending.sorted(by: { $0.key < $1.key }) { end(index, other, &length, &random) }
        pending = [:]
        names += 3
      }
    }
  }

  private mutating func begin(_ process: Int, _ length: Int, _ random: inout Lehmer) -> Int {
    var work = Work(begun: lines.count)
    work.isAppend = Int.random(in: 0..<10, using: &random) < 6
    if work.isAppend {
      work.count = Int.random(in: 1...2, using: &random)
      work.expect =
        Bool.random(using: &random) ? nil : max(0, length + Int.random(in: -1...1, using: &random))
      lines.append(.append(process, work.count, expect: work.expect))
    } else {
      lines.append(.read(process))
    }
    works.append(work)
    return works.count - 1
  }

  /// Answers as if the operation took place now; sometimes a little wrong.
  private mutating func end(_ index: Int, _ process: Int, _ length: inout Int, _ random: inout Lehmer) {
    var work = works[index]
    let slip = Int.random(in: 0..<12, using: &random) == 0 ? Int.random(in: -1...1, using: &random) : 0
    let holds = work.expect == nil || work.expect == length
    if work.isAppend, Int.random(in: 0..<4, using: &random) == 0 {
      work.isLost = true
      if holds, Bool.random(using: &random) { length += work.count }
      lines.append(.lost(process, work.count, expect: work.expect))
    } else {
      work.isRefused = work.isAppend && !holds
      if work.isAppend, holds { length += work.count }
      work.answer = max(0, length + slip)
      work.ended = lines.count
      lines.append(
        work.isRefused
          ? .refused(process, work.answer)
          : work.isAppend ? .appended(process, work.answer) : .found(process, work.answer))
    }
    works[index] = work
  }

  /// Whether any order explains the answers, found by trying them all.
  var hasOrder: Bool { hasOrder(from: 0, left: Set(works.indices)) }

  private func hasOrder(from length: Int, left: Set<Int>) -> Bool {
    if left.allSatisfy({ works[$0].isLost }) { return true }
    for index in left {
      let work = works[index]
      // Nothing that ended before this began may come after it.
      if left.contains(where: { works[$0].ended < work.begun }) { continue }
      var rest = left
      rest.remove(index)
      if let next = self.length(after: work, length), hasOrder(from: next, left: rest) { return true }
      if work.isLost, hasOrder(from: length, left: rest) { return true }
    }
    return false
  }

  /// The length after an operation that takes place at `length`; `nil` where its answer contradicts that.
  private func length(after work: Work, _ length: Int) -> Int? {
    let holds = work.expect == nil || work.expect == length
    if work.isLost { return holds ? length + work.count : nil }
    if work.isRefused { return !holds && work.answer == length ? length : nil }
    if work.isAppend { return holds && work.answer == length + work.count ? work.answer : nil }
    return work.answer == length ? length : nil
  }
}

/// A small generator whose whole run follows from its seed (Lehmer 1951, with Knuth's multiplier for 64 bits).
private struct Lehmer: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 2 &+ 0x9e37_79b9_7f4a_7c15
  }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 29)) &* 0xbf58_476d_1ce4_e5b9
  }
}
