import Annals
import Testing

@testable import AnnalsCommand

@Suite struct ArgumentsTests {
  private let grammar = Arguments.Grammar(
    flags: ["--raw"], values: ["--limit", "--stream"], lists: ["--field"], operands: ["<store>"])

  @Test func `options may come before or after operands, with a blank or an equals sign`() throws {
    let arguments = try Arguments(
      ["--limit", "5", "x.annals", "--raw", "--stream=a=b", "--field", "a=b", "--field=c=d"], grammar)
    #expect(try arguments.text(operand: 0) == "x.annals")
    #expect(try arguments.count("--limit") == 5)
    #expect(try arguments.value("--stream") == "a=b")
    #expect(try arguments.list("--field") == ["a=b", "c=d"])
    #expect(arguments.has("--raw"))
    #expect(try Arguments(["x.annals"], grammar).value("--limit") == nil)
  }

  @Test func `a value after an equals sign may look like an option, as may an operand after two dashes`()
    throws
  {
    #expect(try Arguments(["--stream=--raw", "x"], grammar).value("--stream") == "--raw")
    #expect(try Arguments(["--stream", "-raw", "x"], grammar).value("--stream") == "-raw")
    #expect(try Arguments(["--", "-x"], grammar).text(operand: 0) == "-x")
    #expect(try Arguments(["--stream=", "-"], grammar).text(operand: 0) == "-")
  }

  @Test(arguments: [
    ([], "<store> is missing"), ([""], "<store> is empty"), (["a", "b"], "unexpected 'b'"),
    (["a", "--what"], "unknown option '--what'"), (["a", "-r"], "unknown option '-r'"),
    (["a", "--raw=1"], "--raw takes no value"), (["a", "--raw", "--raw"], "--raw stands twice"),
    (["a", "--limit"], "--limit needs a value"),
    (["a", "--stream", "--raw"], "--stream needs a value; if that is '--raw', write '--stream=--raw'"),
    (["a", "--field", "--"], "--field needs a value; if that is '--', write '--field=--'"),
    (["a", "--limit", "1", "--limit=2"], "--limit stands twice"),
  ])
  func `undeclared options and operands are refused`(words: [String], message: String) {
    #expect(throws: UsageError(message)) { try Arguments(words.map { CommandWord($0) }, grammar) }
  }

  @Test(arguments: ["", "-1", "+1", "1.0", "0x10", " 1", "1e3", "١"])
  func `a number is decimal digits and nothing else`(text: String) throws {
    let arguments = try Arguments([CommandWord("a"), CommandWord("--limit=\(text)")], grammar)
    #expect(throws: UsageError("--limit needs a whole number, not '\(text)'")) {
      try arguments.number("--limit")
    }
    #expect(throws: UsageError.self) { try arguments.count("--limit") }
  }

  @Test func `a count beyond every log is as good as any, a number is not`() throws {
    let arguments = try Arguments(["a", "--limit=99999999999999999999"], grammar)
    #expect(try arguments.count("--limit") == .max)
    #expect(throws: UsageError("--limit is too large")) { try arguments.number("--limit") }
    #expect(try Arguments(["a", "--limit=18446744073709551615"], grammar).number("--limit") == .max)
  }

  @Test func `a path is its bytes, and a text in other bytes than UTF-8 is refused`() throws {
    let odd = CommandWord([UInt8(ascii: "a"), 0xFF])
    let arguments = try Arguments([odd, "--stream", odd, "--field", odd], grammar)
    #expect(try arguments.path(operand: 0).bytes == odd.bytes)
    #expect(try arguments.path(operand: 0).description == "a\\xFF")
    #expect(throws: UsageError("--stream needs text in UTF-8, not 'a\\xFF'")) {
      try arguments.value("--stream")
    }
    #expect(throws: UsageError.self) { try arguments.list("--field") }
    #expect(throws: UsageError("unknown option '--\\xFF'")) {
      try Arguments(["x", CommandWord(Array("--".utf8) + [0xFF])], grammar)
    }
  }
}
