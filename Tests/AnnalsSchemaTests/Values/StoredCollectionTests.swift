import Testing

struct StoredCollectionTests {
  @Test func `an array keeps its order`() throws {
    try expect([3, 1, 2], is: "83030102")
    try expect([] as [Int], is: "80")
    try expect([["b"], []], is: "8281616280")
  }

  @Test func `a set is sorted by its encoded bytes`() throws {
    try expect([300, 1, 20, -1] as Set<Int>, is: "84011419012c20")
    try expect(["b", "aa", "a", ""] as Set<String>, is: "846061616162626161")
    try expect([] as Set<Int>, is: "80")
    try expect([[2, 1], [1, 2, 3], [9]] as Set<[Int]>, is: "83810982020183010203")
    try expect([[1, 2], [3]] as Set<Set<Int>>, is: "828103820102")
  }

  @Test func `a dictionary with texts as keys is a map, another an array of pairs`() throws {
    try expect(["b": 1, "aa": 2, "a": 3], is: "a361610361620162616102")
    try expect([10: "x", 2: "y"], is: "8282026179820a6178")
    try expect([:] as [String: Int], is: "a0")
    try expect([:] as [Int: Int], is: "80")
    try expect([true: ["k": [1.5]]], is: "8182f5a1616b81f93e00")
    try expect(["a": nil, "b": 1] as [String: Int?], is: "a26161f6616201")
  }

  @Test func `elements and keys in another order are refused`() {
    expect("820201", as: Set<Int>.self, fails: .unsortedKeys, at: 2)
    expect("a2616201616102", as: [String: Int].self, fails: .unsortedKeys, at: 4)
    expect("a262616101616202", as: [String: Int].self, fails: .unsortedKeys, at: 5)
    expect("82820200820100", as: [Int: Int].self, fails: .unsortedKeys, at: 5)
  }

  @Test func `elements and keys that occur twice are refused`() {
    expect("820101", as: Set<Int>.self, fails: .duplicateKey, at: 2)
    expect("a2616101616102", as: [String: Int].self, fails: .duplicateKey, at: 4)
    expect("82820100820101", as: [Int: Int].self, fails: .duplicateKey, at: 5)
  }

  @Test func `texts that Swift holds for equal are refused as duplicates`() {
    expect("8262c3a96365cc81", as: Set<String>.self, fails: .duplicateKey, at: 4)
    expect("a262c3a9016365cc8102", as: [String: Int].self, fails: .duplicateKey, at: 5)
    expect("82f90000f98000", as: Set<Double>.self, fails: .duplicateKey, at: 4)
  }

  @Test func `a pair has two parts`() {
    expect("818101", as: [Int: Int].self, fails: .wrongType, at: 1)
    expect("8183010203", as: [Int: Int].self, fails: .wrongType, at: 1)
    expect("8101", as: [Int: Int].self, fails: .wrongType, at: 1)
  }

  @Test func `arrays and maps are distinguished`() {
    expect("a0", as: [Int].self, fails: .wrongType)
    expect("a0", as: Set<Int>.self, fails: .wrongType)
    expect("80", as: [String: Int].self, fails: .wrongType)
    expect("a0", as: [Int: Int].self, fails: .wrongType)
  }

  @Test func `a count in too many bytes, or none, is refused`() {
    expect("980101", as: [Int].self, fails: .notCanonical)
    expect("9f01ff", as: [Int].self, fails: .notCanonical)
    expect("b801616101", as: [String: Int].self, fails: .notCanonical)
    expect("bf616101ff", as: [String: Int].self, fails: .notCanonical)
  }

  @Test func `a count beyond the bytes is refused`() {
    expect("9bffffffffffffffff", as: [Int].self, fails: .truncated, at: 9)
    expect("8301", as: [Int].self, fails: .truncated, at: 1)
    expect("bb7fffffffffffffff", as: [String: Int].self, fails: .truncated, at: 9)
    expect("a2616101", as: [String: Int].self, fails: .truncated, at: 1)
  }

  @Test func `a failure inside is reported with its own place`() {
    expect("82011c", as: [Int].self, fails: .malformed, at: 2)
    expect("82016161", as: [Int].self, fails: .wrongType, at: 2)
    expect("8181f7", as: [[Bool]].self, fails: .wrongType, at: 2)
  }

  @Test func `the shapes hold those of their parts`() {
    #expect(shape(of: [Int].self) == .list(.integer(.int64)))
    #expect(shape(of: Set<String>.self) == .set(.text))
    #expect(shape(of: [Int: Bool].self) == .map(.integer(.int64), .bool))
    #expect(shape(of: [String: [Float]].self) == .map(.text, .list(.float)))
  }
}
