package import AnnalsCoding
package import AnnalsFormat

/// The limits of one page. Entries are never divided, so that a page may exceed the last two.
package struct PageLimits: Sendable {
  /// The most stored entries to look at. Those that the read leaves out cost little.
  package var scanned = 16_384
  /// The number of elements that fill a page.
  package var elements = 256
  /// The number of stored bytes that fill a page. Entries of types that are not read do not count.
  package var bytes = 1 << 20
  /// Whether a page that is full goes on to the end of an append call. If it would be twice as long as the
  /// other limits allow, it ends within the call.
  package var endsCalls = false

  package init(
    scanned: Int = 16_384, elements: Int = 256, bytes: Int = 1 << 20, endsCalls: Bool = false
  ) {
    self.scanned = scanned
    self.elements = elements
    self.bytes = bytes
    self.endsCalls = endsCalls
  }

  /// Whether a page that ends here is full.
  fileprivate func isFull(_ scanned: Int, _ elements: Int, _ end: borrowing PageEnd) -> Bool {
    if scanned < self.scanned, elements < self.elements, end.bytes < bytes { return false }
    guard endsCalls, !end.isEndOfCall else { return true }
    return scanned / 2 >= self.scanned || elements / 2 >= self.elements || end.bytes / 2 >= bytes
  }
}

/// The next elements of a read, copied out of a snapshot that has ended.
package struct EntryPage<Element: Sendable>: Sendable {
  /// Reads the next page with a reader.
  package typealias Read = @Sendable (inout EntryReader, PageLimits) throws(AnnalsError) -> EntryPage

  /// The elements, possibly none: where entries are left out, the read continues after them.
  package var elements: [Element]
  /// How the page ended.
  package var end: PageEnd

  package init(elements: [Element], end: PageEnd) {
    self.elements = elements
    self.end = end
  }
}

/// How a page ended.
package struct PageEnd: Sendable {
  /// The position of the last entry that is done with, whether it was left out or not; `nil` for none.
  package var last: Position?
  /// Whether that entry is the last one of an append call.
  package fileprivate(set) var isEndOfCall = false
  /// Whether the read ends after the page.
  package var isLast = false
  /// The number of stored bytes of the entries that were read.
  package fileprivate(set) var bytes = 0
  /// The error to throw after the elements of the page.
  package var failure: AnnalsError?
  /// The entry that the failure is about; `nil` if the log itself could not be read.
  package var unreadable: UnreadableEntry?
}

/// A stored entry that could not be decoded or upcast.
package struct UnreadableEntry: Sendable {
  package let position: Position
  package let stream: StreamName
  package let error: AnnalsError
  /// The cases of the current event that the entry may become; `nil` if they are not known.
  package var cases: Set<Int>?
  /// The checkpoint after the entry, in a live read.
  package var checkpoint: Checkpoint?
}

extension EntryCursor {
  /// Gives the entries of one page to `take`: the loop that every read of pages runs.
  ///
  /// - Parameters:
  ///   - limits: The size of the page.
  ///   - kinds: The kinds of entries that are read.
  ///   - take: Keeps what the reader wants of an entry, and returns how many elements the page has then.
  package mutating func page(
    _ limits: PageLimits, of kinds: WantedKinds = WantedKinds(),
    _ take: (borrowing LentEntry, StreamName) throws(AnnalsError) -> Int
  ) -> PageEnd {
    var end = PageEnd()
    var (scanned, elements) = (0, 0)
    do throws(AnnalsError) {
      while !limits.isFull(scanned, elements, end), let entry = try next() {
        scanned += 1
        if entry.position.rawValue > steps.floor, kinds.include(entry), try includes(entry) {
          end.bytes += entry.bytes.count
          let stream = try name(of: entry)
          if steps.includes(stream) {
            do throws(AnnalsError) { elements = try take(entry, stream) } catch {
              end.unreadable = UnreadableEntry(position: entry.position, stream: stream, error: error)
              throw error
            }
          }
        }
        end.last = entry.position
        end.isEndOfCall = entry.header.flags.contains(.endOfCall)
      }
      // Entries that chains of tags do not lead to are done with, too.
      if let range = steps.range, range.isAtEnd, !range.backwards { end.last = Position(range.end) }
    } catch {
      end.failure = error
    }
    end.isLast = steps.isAtEnd
    return end
  }
}
