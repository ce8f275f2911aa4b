import Testing

@testable import GitHistory

@Suite struct GitLogReaderTests {
  private static let one = String(repeating: "1", count: 40)
  private static let two = String(repeating: "a", count: 64)

  /// All commits of `bytes`, fed in chunks of `size` bytes.
  private func read(_ bytes: [UInt8], chunk size: Int = 1 << 16) throws(GitLogFailure) -> [Commit] {
    var reader = GitLogReader()
    var commits: [Commit] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      reader.feed(bytes[start...].prefix(size))
      while let commit = try reader.next() { commits.append(commit) }
    }
    if let last = try reader.finish() { commits.append(last) }
    return commits
  }

  private func read(_ fields: [String]) throws(GitLogFailure) -> [Commit] {
    try read(fields.flatMap { Array($0.utf8) + [0] })
  }

  private static let head = ["commit \(one)", "Ann", "ann@example.org", "1577927045 +0200"]

  @Test func `an empty history has no commits`() throws {
    #expect(try read([UInt8]()) == [])
  }

  @Test(arguments: [1, 2, 3, 7, 1 << 16])
  func `commits are read from chunks of any size`(chunk: Int) throws {
    let fields =
      Self.head + ["one\n", "\nA", "a.txt", "M", "b/c.txt"] + [
        "commit \(Self.two)", "Bob", "", "", "two\n\nbody\n", "\nR087", "a.txt", "d.txt", "D", "b/c.txt",
      ]
    let commits = try read(fields.flatMap { Array($0.utf8) + [0] }, chunk: chunk)
    #expect(
      commits == [
        Commit(
          sha: Self.one, name: "Ann", email: "ann@example.org", date: "1577927045 +0200",
          message: "one",
          changes: [.init(status: "A", path: "a.txt"), .init(status: "M", path: "b/c.txt")]),
        Commit(
          sha: Self.two, name: "Bob", message: "two\n\nbody",
          changes: [
            .init(status: "R", path: "d.txt", formerPath: "a.txt"), .init(status: "D", path: "b/c.txt"),
          ]),
      ])
  }

  @Test(arguments: ["", "\n", "\n\n\n"])
  func `a commit may have no message and no files`(message: String) throws {
    let commits = try read(Self.head + [message] + Self.head + ["next"])
    #expect(commits.map(\.message) == ["", "next"])
    #expect(commits.map(\.changes) == [[], []])
  }

  @Test(
    arguments: [
      "commit \(one)", "\nM\n", "commit", "A", "\u{1}\u{2}", "\ncommit \(one)",
    ])
  func `a message or a name may look like anything`(text: String) throws {
    let commits = try read(
      ["commit \(Self.one)", text, text, text, "x" + text, "\nM", "a"] + Self.head + ["next"])
    #expect(commits.count == 2)
    #expect(commits.first?.name == text)
    #expect(commits.first?.changes == [.init(status: "M", path: "a")])
  }

  @Test(arguments: ["commit \(one)", "M", "a b", "\u{e9}", "🏏"])
  func `a path may look like anything`(path: String) throws {
    let commits = try read(Self.head + ["m", "\nA", path, "R100", path, path] + Self.head + ["next"])
    #expect(commits.count == 2)
    #expect(
      commits.first?.changes == [
        .init(status: "A", path: path), .init(status: "R", path: path, formerPath: path),
      ])
  }

  @Test func `bytes that are no UTF-8 are spelled out`() throws {
    var bytes = Array("commit \(Self.one)\0J".utf8) + [0xfc, 0]
    bytes += Array("x@example.org\0\0caf".utf8) + [0xe9, 0]
    bytes += Array("\nA\0".utf8) + [0xff, 0x09, 0]
    let commit = try #require(try read(bytes).first)
    #expect(commit.name == "J\\xFC")
    #expect(commit.message == "caf\\xE9")
    #expect(commit.changes == [.init(status: "A", path: "\\xFF\\t")])
  }

  @Test(
    arguments: [
      ["M", "a"], ["commit 12"], ["commit " + String(repeating: "g", count: 40)],
      head + ["m", "modified", "a"],
      head + ["m", "\nM"], head, head + ["m", "\nR100", "a"], head + ["m", "\n?", "a"], head + ["m", ""],
    ])
  func `output that git does not print is refused`(fields: [String]) {
    #expect(throws: GitLogFailure()) { try read(fields) }
  }

  @Test func `output that ends in the middle of a field is refused`() {
    #expect(throws: GitLogFailure()) {
      try read(Array((Self.head + ["m", "\nM", "a"]).joined(separator: "\0").utf8))
    }
  }
}
