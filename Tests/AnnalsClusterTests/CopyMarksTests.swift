import Testing

@testable import AnnalsCluster

/// What counts as the same message on two servers.
@Suite struct CopyMarksTests {
  private let mark = CopyMark(sequence: 5, nanoseconds: 100, id: "a", size: 20)

  @Test func `a message that the other server has as well is the same, however often it is asked`() {
    var marks = CopyMarks()
    #expect(marks.answer(on: mark, after: 4) == .nothing)
    #expect(!marks.isKnown(after: 4))
    #expect(marks.add(mark, count: 1) == true)
    #expect(marks.isKnown(after: 4))
    #expect(marks.answer(on: mark, after: 4) == .same)
    #expect(marks.answer(on: mark, after: 4) == .same)
    #expect(marks.answer(on: mark, after: 5) == .nothing)
  }

  @Test(
    arguments: [
      CopyMark(sequence: 5, nanoseconds: 101, id: "a", size: 20),
      CopyMark(sequence: 5, nanoseconds: 100, id: "b", size: 20),
      CopyMark(sequence: 5, nanoseconds: 100, id: nil, size: 20),
      CopyMark(sequence: 5, nanoseconds: 100, id: "a", size: 21),
      CopyMark(sequence: 6, nanoseconds: 100, id: "a", size: 20),
    ])
  func `a message of another time, id, size or sequence is another one`(_ other: CopyMark) {
    var marks = CopyMarks()
    #expect(marks.add(other, count: 1) == true)
    #expect(marks.answer(on: mark, after: 4) == .different)
  }

  @Test func `a message that only one server has removed is a difference`() {
    var marks = CopyMarks()
    var next = mark
    next.sequence = 4
    #expect(marks.add(next, count: 1) == true)
    #expect(marks.add(mark, count: 2) == true)
    #expect(marks.answer(on: mark, after: 3) == .different)
    #expect(marks.answer(on: mark, after: 4) == .same)
  }

  @Test func `a message that was lost on the way ends the comparison`() {
    var marks = CopyMarks()
    #expect(marks.add(mark, count: 1) == true)
    #expect(marks.add(mark, count: 3) == false)
  }

  @Test func `a server far ahead is compared in order`() {
    var marks = CopyMarks()
    for sequence in 1...10_000 {
      let next = CopyMark(sequence: UInt64(sequence), nanoseconds: 1, id: "\(sequence)", size: 1)
      #expect(marks.add(next, count: UInt64(sequence)) == true)
    }
    for sequence in 1...10_000 {
      let next = CopyMark(sequence: UInt64(sequence), nanoseconds: 1, id: "\(sequence)", size: 1)
      #expect(marks.answer(on: next, after: UInt64(sequence - 1)) == .same)
    }
  }
}
