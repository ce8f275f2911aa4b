import Testing

@testable import GitHistory

@Suite struct TextBytesTests {
  @Test(
    arguments: [
      ("caf\u{e9}", "caf\u{e9}"), ("a\\b\tc\n", "a\\b\tc\n"), ("", ""), ("\u{1f3cf}", "\u{1f3cf}"),
    ])
  func `a readable text in UTF-8 stays as it is`(text: String, wanted: String) {
    #expect(String(readable: Array(text.utf8)) == wanted)
  }

  @Test(
    arguments: [
      ([0x63, 0xe9], "c\\xE9"), ([0xff, 0xfe], "\\xFF\\xFE"), ([0xf0, 0x9f, 0x61], "\\xF0\\x9Fa"),
      ([0xe2, 0x82], "\\xE2\\x82"), ([0xc3, 0xa9, 0xa9], "\u{e9}\\xA9"),
      ([0xed, 0xa0, 0x80], "\\xED\\xA0\\x80"),
    ] as [([UInt8], String)])
  func `bytes that are no UTF-8 are spelled out`(bytes: [UInt8], wanted: String) {
    #expect(String(readable: bytes) == wanted)
    #expect(String(path: bytes) == wanted)
  }

  @Test(
    arguments: [
      ("Sources/a b.swift", "Sources/a b.swift"), ("caf\u{e9}", "caf\u{e9}"), ("a\\b", "a\\\\b"),
      ("a\tb\nc", "a\\tb\\nc"), ("\u{1b}[31m", "\\x1B[31m"), ("\u{7f}", "\\x7F"), ("\u{85}", "\\xC2\\x85"),
      ("\r\n", "\\x0D\\n"), ("e\u{301}", "e\u{301}"), ("\\xFF", "\\\\xFF"),
    ])
  func `a path is spelled so that no two paths are alike`(path: String, wanted: String) {
    #expect(Array(String(path: Array(path.utf8)).utf8) == Array(wanted.utf8))
  }

  @Test func `control characters are not printed`() {
    #expect("a\u{1b}[2Jb\rc".printable == "a\u{fffd}[2Jb\u{fffd}c")
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-4_321, "-4,321")])
  func `numbers have a comma between three digits`(number: Int, wanted: String) {
    #expect(number.grouped == wanted)
  }

  @Test(arguments: [("/tmp/a.annals", "/tmp/a.annals"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''")])
  func `a path is one word of a shell's command`(path: String, wanted: String) {
    #expect(path.shellWord == wanted)
  }
}
