internal import AnnalsCoding

/// The pages of one read, bounded or live, for a loop that waits.
package struct EntryPages<Element: Sendable>: Sendable {
  /// The size of a page.
  var limits: PageLimits
  private var reader: EntryReader
  private let read: EntryPage<Element>.Read
  /// The maximum number of elements still to deliver.
  private var remaining: Int
  /// The wait of a live read for commits; `nil` in a bounded read.
  private var wait: CommitWait?
  private var failure: AnnalsError?

  /// The pages of a bounded read.
  package init(_ reader: EntryReader, limit: Int, _ read: @escaping EntryPage<Element>.Read) {
    self.reader = reader
    self.read = read
    remaining = limit
    limits = reader.limits
  }

  /// The pages of a live read.
  package init(following reader: EntryReader, _ read: @escaping EntryPage<Element>.Read) {
    self.init(reader, limit: .max, read)
    wait = CommitWait()
  }

  /// Ends the read.
  mutating func end() {
    remaining = 0
    failure = nil
  }

  /// The next page that has elements, and the pages after it.
  ///
  /// It runs on no actor, because a page that is not in memory waits for the disk.
  ///
  /// - Returns: No elements at the end: after the last page of a bounded read, or where a task that reads
  ///   live is cancelled.
  @concurrent func next() async throws(AnnalsError) -> (EntryPages, [Element]) {
    var rest = self
    if var wait {
      let found = try await wait.first(in: reader.core) { () throws(AnnalsError) in try rest.turn() }
      rest.wait = wait
      if found == nil { rest.end() }
      return (rest, found ?? [])
    }
    while true {
      if let page = try rest.turn() { return (rest, page) }
      // A long run of entries that a rule drops must not keep a thread of the pool.
      await Task.yield()
    }
  }

  /// Reads one page; `nil` if it has none and others may follow.
  private mutating func turn() throws(AnnalsError) -> [Element]? {
    if let failure { throw failure }
    guard remaining > 0 else { return [] }
    if wait == nil, Task.isCancelled {
      throw AnnalsError(.cancelled, "the task was cancelled before all entries were read")
    }
    var limits = limits
    limits.elements = min(limits.elements, remaining)
    let page = try read(&reader, limits)
    // The last entry may have more events than that.
    remaining = max(remaining - page.elements.count, 0)
    if let error = page.end.failure {
      guard !page.elements.isEmpty else { throw error }
      failure = error
    } else if wait == nil, page.end.isLast {
      remaining = 0
    }
    return page.elements.isEmpty && remaining > 0 ? nil : page.elements
  }
}
