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

  private var pages: EntryPages<Element>

  init(_ pages: EntryPages<Element>) {
    self.pages = pages
  }

  /// The size of a page.
  var limits: PageLimits {
    get { pages.limits }
    set { pages.limits = newValue }
  }

  /// An iterator that has read nothing yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages) }

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
        end()
        throw error
      }
    }

    /// Makes sure that nothing comes any more.
    mutating func end() {
      page = []
      pages.end()
    }
  }
}
