import Testing

struct StoredTextTests {
  @Test func `a text is its length and its bytes`() throws {
    try expect("", is: "60")
    try expect("a", is: "6161")
    try expect("ü", is: "62c3bc")
    try expect("🏏", is: "64f09f8f8f")
    try expect(String(repeating: "x", count: 24), is: "7818" + String(repeating: "78", count: 24))
    #expect(shape(of: String.self) == .text)
  }

  @Test func `a text is not normalised`() throws {
    let bytes = try written("e\u{301}\u{0}")
    #expect(hex(bytes) == "6465cc8100")
    let back = try read(bytes, as: String.self)
    #expect(Array(back.utf8) == [0x65, 0xcc, 0x81, 0])
  }

  @Test func `bytes that are not UTF-8 are refused where they begin to be wrong`() {
    expect("61ff", as: String.self, fails: .invalidText, at: 1)
    expect("6361c328", as: String.self, fails: .invalidText, at: 2)
    expect("63eda080", as: String.self, fails: .invalidText, at: 1)
    expect("62c080", as: String.self, fails: .invalidText, at: 1)
  }

  @Test func `a length beyond the bytes is refused without making room`() {
    expect("7bffffffffffffffff", as: String.self, fails: .truncated, at: 9)
    expect("6261", as: String.self, fails: .truncated, at: 1)
  }

  @Test func `a length in more bytes than it needs, or none, is refused`() {
    expect("780161", as: String.self, fails: .notCanonical)
    expect("7f6161ff", as: String.self, fails: .notCanonical)
  }

  @Test(arguments: ["40", "00", "80", "a0", "f6"])
  func `a value other than a text is of another type`(bytes: String) {
    expect(bytes, as: String.self, fails: .wrongType)
  }
}
