public import AnnalsCoding

/// The entries of a log, of a store or of one stream, one after the other, for loops that wait.
///
/// ```swift
/// for try await entry in store.entries(in: "workout-42") {
///   print(entry.position, entry.event)
/// }
/// ```
///
/// Entries are read a page at a time, each page in a snapshot of its own that has ended before the first entry of the
/// page is given. So however slowly the loop goes, it keeps no place among the readers and no page of the file, and what the
/// loop does to an entry may be appending to the same store. The sequence ends at the head that the log or the stream had when
/// its first entry was asked for; what is appended later is for the next one. It keeps the store open.
///
/// Each iterator begins anew. A page is read apart from the actor that asks for it.
public struct AsyncEntries<Element: Sendable>: AsyncSequence, Sendable {
  /// What stops the sequence.
  public typealias Failure = AnnalsError
  /// Reads a page behind the given steps, or the first one.
  typealias Read = @Sendable (EntrySteps?, PageRoom) throws(AnnalsError) -> EntryPage<Element>

  private let limit: Int
  private let read: Read
  /// The size of a page.
  var room = PageRoom()

  init(limit: Int, _ read: @escaping Read) {
    self.limit = limit
    self.read = read
  }

  /// An iterator that has read nothing yet.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(EntryPages(read: read, room: room, remaining: limit))
  }

  /// The entries that a loop has not been given yet.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// What was read and is not given yet. The next one is last, so that it is moved and not copied.
    @usableFromInline var page: [Element] = []
    private var pages: EntryPages<Element>

    init(_ pages: EntryPages<Element>) {
      self.pages = pages
    }

    /// The next entry; `nil` at the end or the limit, and after an error.
    ///
    /// - Throws: ``AnnalsError`` with code `cancelled` where a page is to be read and the task is cancelled, `tooManyReaders`
    ///   or `usedAfterFork`, or as the same read in a snapshot throws.
    /// - Complexity: One snapshot for a page of 256 entries or 1 MiB.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(AnnalsError) -> Element? {
      if let element = page.popLast() { return element }
      try await turn(isolation: actor)
      return page.popLast()
    }

    /// Takes the next page that has entries; none at the end.
    @usableFromInline
    mutating func turn(isolation actor: isolated (any Actor)?) async throws(AnnalsError) {
      do throws(AnnalsError) {
        (pages, page) = try await pages.next()
      } catch {
        pages.end()
        throw error
      }
    }
  }
}

/// What an iterator goes through: the pages of one read.
struct EntryPages<Element: Sendable>: Sendable {
  private let read: AsyncEntries<Element>.Read
  private let room: PageRoom
  private var remaining: Int
  private var steps: EntrySteps?
  private var failure: AnnalsError?

  init(read: @escaping AsyncEntries<Element>.Read, room: PageRoom, remaining: Int) {
    self.read = read
    self.room = room
    self.remaining = remaining
  }

  /// Makes sure that nothing comes any more.
  mutating func end() {
    remaining = 0
    failure = nil
    steps = nil
  }

  /// The next page that has elements, the last one first, and the pages behind it; an empty one at the end.
  ///
  /// It runs on no actor, because a page that is not in memory waits for the disk.
  @concurrent func next() async throws(AnnalsError) -> (EntryPages, [Element]) {
    var rest = self
    while true {
      if let page = try rest.turn() { return (rest, page) }
      // A long run of entries that a rule drops must not keep a thread of the pool.
      await Task.yield()
    }
  }

  /// Reads one page, the last element first; `nil` where it has none and others may follow.
  private mutating func turn() throws(AnnalsError) -> [Element]? {
    if let failure { throw failure }
    guard remaining > 0 else { return [] }
    if Task.isCancelled {
      throw AnnalsError(.cancelled, "the task was cancelled before all entries were read")
    }
    var room = room
    room.events = remaining
    var page = try read(steps, room)
    if page.elements.count > remaining { page.elements.removeSubrange(remaining...) }
    steps = page.steps
    failure = page.failure
    remaining = page.isLast ? 0 : remaining - page.elements.count
    page.elements.reverse()
    return page.elements.isEmpty && (remaining > 0 || failure != nil) ? nil : page.elements
  }
}
