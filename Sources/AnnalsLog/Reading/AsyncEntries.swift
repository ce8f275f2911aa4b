public import AnnalsCoding

/// The entries of a log, of a store or of one stream, in order, as an asynchronous sequence.
///
/// ```swift
/// for try await entry in store.entries(in: "workout-42") {
///   print(entry.position, entry.event)
/// }
/// ```
///
/// Entries are read in pages. The snapshot of a page ends before the first entry of the page is delivered, so
/// a slow loop holds no reader slot and no page of the file, and it may append to the same store. The
/// sequence ends at the head that the log or the stream had when the first entry was requested. Later entries
/// belong to the next sequence. The sequence keeps the store open.
///
/// Each iterator starts from the beginning. Pages are read off the calling actor.
public struct AsyncEntries<Element: Sendable>: AsyncSequence, Sendable {
  /// The error that ends the sequence.
  public typealias Failure = AnnalsError

  private var pages: EntryPages<Element>

  package init(_ pages: EntryPages<Element>) {
    self.pages = pages
  }

  /// The size of a page.
  package var limits: PageLimits {
    get { pages.limits }
    set { pages.limits = newValue }
  }

  /// Creates an iterator at the beginning of the sequence.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages) }

  /// The entries that a loop has not received yet.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// The entries that are read and not delivered yet. The next one is last, so that it is moved and not
    /// copied.
    @usableFromInline var page: [Element] = []
    private var pages: EntryPages<Element>

    init(_ pages: EntryPages<Element>) {
      self.pages = pages
    }

    /// Returns the next entry; `nil` at the end or the limit, and after an error.
    ///
    /// - Throws: ``AnnalsError`` with code `cancelled` if the task is cancelled when a page must be read,
    ///   `tooManyReaders` or `usedAfterFork`, or the errors of the same read in a snapshot.
    /// - Complexity: One snapshot for a page of 256 entries or 1 MiB; longer for a query of many tags.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(AnnalsError) -> Element? {
      if let element = page.popLast() { return element }
      try await turn(isolation: actor)
      if page.count > 1 { page.reverse() }
      return page.popLast()
    }

    /// Takes the next page that has entries; at the end, an empty one.
    @usableFromInline
    mutating func turn(isolation actor: isolated (any Actor)?) async throws(AnnalsError) {
      do throws(AnnalsError) {
        (pages, page) = try await pages.next()
      } catch {
        end()
        throw error
      }
    }

    /// Ends the sequence.
    package mutating func end() {
      page = []
      pages.end()
    }
  }
}
