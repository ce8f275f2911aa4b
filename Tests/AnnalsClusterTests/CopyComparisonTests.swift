import Testing

@testable import AnnalsCluster

/// Whose copy of a log is called different.
@Suite struct CopyComparisonTests {
  private func mark(_ sequence: UInt64, _ id: String) -> CopyMark {
    CopyMark(sequence: sequence, nanoseconds: 1, id: id, size: 2)
  }

  @Test func `the server whose message most of the others do not have differs`() {
    var comparison = CopyComparison(["a", "b", "c"], replicas: 3)
    comparison.add([mark(1, "x"), mark(1, "x"), mark(1, "x")])
    #expect(comparison.isGood)
    comparison.add([mark(2, "x"), mark(2, "y"), mark(2, "x")])
    comparison.add([mark(3, "x"), nil, mark(3, "x")])
    // A message that most have removed.
    comparison.add([nil, nil, mark(4, "x")])
    #expect(comparison.copies.map(\.differing) == [0, 2, 1])
    #expect(comparison.copies.map(\.first) == [nil, 2, 4])
    #expect(comparison.unsettled == 0)
    #expect(!comparison.isGood)
  }

  @Test func `two servers of three that differ settle nothing`() {
    var comparison = CopyComparison(["a", "b"], replicas: 3)
    comparison.add([mark(1, "x"), mark(1, "x")])
    comparison.add([mark(2, "x"), mark(2, "y")])
    #expect(comparison.unsettled == 1)
    #expect(comparison.firstUnsettled == 2)
    #expect(comparison.copies.map(\.differing) == [0, 0])
  }

  @Test func `a server that was not compared may differ`() {
    var comparison = CopyComparison(["a", "b"], replicas: 3)
    comparison.add([mark(1, "x"), mark(1, "x")])
    #expect(!comparison.isGood)
    var single = CopyComparison([""], replicas: 1)
    single.add([mark(1, "x")])
    #expect(single.isGood)
  }
}
