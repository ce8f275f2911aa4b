import Annals
import Testing

@testable import GitHistory

@Suite struct ArgumentsTests {
  @Test func `the current folder and a fresh store are the default`() throws {
    let arguments = try Arguments([])
    #expect(arguments.repository == ".")
    #expect(arguments.store == nil)
  }

  @Test func `a repository and a store may be named in any order`() throws {
    #expect(try Arguments(["there", "--store", "here"]) == Arguments(["--store", "here", "there"]))
    #expect(try Arguments(["--store", "here", "there"]).store == "here")
    #expect(try Arguments(["--store", "here", "there"]).repository == "there")
  }

  @Test func `after two hyphens every argument is a path`() throws {
    #expect(try Arguments(["--", "--store"]).repository == "--store")
  }

  @Test(arguments: [["--shop"], ["a", "b"], ["--store"], ["--store", ""], [""], ["-x"]])
  func `anything else is wrong usage`(arguments: [String]) {
    let failure = #expect(throws: Failure.self) { try Arguments(arguments.map { CommandWord($0) }) }
    #expect(failure?.status == .usage)
  }
}
