import Testing

@testable import AnnalsCommand

@Suite struct ProgressLineTests {
  @Test func `progress replaces itself, not too often, and is wiped out`() {
    var shown: [String] = []
    var line = ProgressLine { shown.append(String(decoding: $0, as: UTF8.self)) }
    for number in 1...1_000 { line.update("\(number) lines") }
    line.clear()
    line.clear()
    #expect(shown.first == "\r1 lines\u{1b}[K")
    #expect(shown.last == "\r\u{1b}[K")
    #expect(shown.count < 1_000)
    #expect(shown.count { $0 == "\r\u{1b}[K" } == 1)
  }

  @Test func `without a terminal nothing is made up`() {
    var line = ProgressLine()
    line.update(String(Issue.record("asked for a text that nobody sees").description))
    line.clear()
  }
}
