/// Parses the output of `git log` with ``arguments``, in chunks of any size.
///
/// Every field ends in NUL, which no field can contain, so that messages and paths are never misread. It
/// keeps no more than one commit and one chunk.
struct GitLogReader {
  /// The arguments for `git`, which override the user's configuration.
  static let arguments = [
    "log", "--reverse", "--topo-order", "-z", "--name-status", "--find-renames", "--root", "--no-relative",
    "--no-color", "--no-notes", "--no-show-signature", "--encoding=UTF-8",
    // With any other date format, git stops at the first commit dated before 1970.
    "--date=raw",
    "--format=tformat:commit %H%x00%aN%x00%aE%x00%ad%x00%B", "HEAD", "--",
  ]

  /// The next field.
  private enum Expected {
    case name, email, date, message
    /// The status of a change, or the next commit.
    case changeOrCommit
    case path(status: String)
    case newPath(status: String, old: String)
  }

  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var expected = Expected.changeOrCommit
  private var commit: Commit?

  /// Adds the next bytes.
  mutating func feed(_ chunk: some Sequence<UInt8>) {
    // Only now, because moving the rest takes time proportional to its length.
    buffer.removeSubrange(..<start)
    searched -= start
    start = 0
    buffer.append(contentsOf: chunk)
  }

  /// Returns the next whole commit; `nil` if it needs more bytes.
  mutating func next() throws(GitLogFailure) -> Commit? {
    while let field = nextField() {
      if let done = try take(field) { return done }
    }
    return nil
  }

  /// Returns the last commit, after all bytes; `nil` if there was none.
  mutating func finish() throws(GitLogFailure) -> Commit? {
    guard case .changeOrCommit = expected, start == buffer.count else { throw GitLogFailure() }
    defer { commit = nil }
    return commit
  }

  private mutating func nextField() -> ArraySlice<UInt8>? {
    guard let end = buffer[searched...].firstIndex(of: 0) else {
      searched = buffer.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    return buffer[start..<end]
  }

  private mutating func take(_ field: ArraySlice<UInt8>) throws(GitLogFailure) -> Commit? {
    switch expected {
    case .name:
      commit?.name = String(readable: field)
      expected = .email
    case .email:
      commit?.email = String(readable: field)
      expected = .date
    case .date:
      commit?.date = String(readable: field)
      expected = .message
    case .message:
      let end = field.lastIndex { $0 != UInt8(ascii: "\n") }.map { $0 + 1 } ?? field.startIndex
      commit?.message = String(readable: field[..<end])
      expected = .changeOrCommit
    case .path(let status):
      let path = String(path: field)
      if status == "R" || status == "C" {
        expected = .newPath(status: status, old: path)
      } else {
        commit?.changes.append(Commit.Change(status: status, path: path))
        expected = .changeOrCommit
      }
    case .newPath(let status, let old):
      commit?.changes.append(Commit.Change(status: status, path: String(path: field), formerPath: old))
      expected = .changeOrCommit
    case .changeOrCommit:
      return try takeChangeOrCommit(field)
    }
    return nil
  }

  private mutating func takeChangeOrCommit(_ field: ArraySlice<UInt8>) throws(GitLogFailure) -> Commit? {
    // git puts a newline before the list of changes.
    let field = field.first == UInt8(ascii: "\n") ? field.dropFirst() : field
    let mark = Array("commit ".utf8)
    if field.starts(with: mark) {
      let sha = String(decoding: field.dropFirst(mark.count), as: UTF8.self)
      guard sha.utf8.count == 40 || sha.utf8.count == 64, sha.allSatisfy(\.isHexDigit) else {
        throw GitLogFailure()
      }
      defer { commit = Commit(sha: sha) }
      expected = .name
      return commit
    }
    guard commit != nil, let letter = field.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter),
      field.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw GitLogFailure() }
    expected = .path(status: String(Unicode.Scalar(letter)))
    return nil
  }
}

/// The error for malformed output of `git log`.
struct GitLogFailure: Error, Equatable {}
