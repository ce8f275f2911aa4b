import Testing

@testable import AnnalsCommand

/// Names as people see them in a terminal.
@Suite struct PlainTextTests {
  @Test(arguments: [
    ("order-42 ~ 'a' \"b\" {c}", "order-42 ~ 'a' \"b\" {c}"), ("", ""), ("über 😀", "über 😀"),
    ("a\\b", "a\\\\b"), ("a\nb\rc\td", "a\\nb\\rc\\td"), ("\u{1b}[31m", "\\u{1b}[31m"), ("\u{7f}", "\\u{7f}"),
    ("\u{0}", "\\u{0}"), ("é\u{202e}x", "é\\u{202e}x"), ("x\u{2028}", "x\\u{2028}"),
  ])
  func `characters that move the cursor or are invisible are escaped, others are not`(
    name: String, shown: String
  ) {
    #expect(PlainText.escaped(name) == shown)
  }
}
