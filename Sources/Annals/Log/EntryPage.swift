internal import AnnalsCoding

/// The limits of one page. Entries are never divided, so that a page may exceed the last two.
struct PageLimits: Sendable {
  /// The most stored entries to look at. Those that the read leaves out cost little.
  var scanned = 16_384
  /// The number of elements that fill a page.
  var elements = 256
  /// The number of stored bytes that fill a page. Entries of types that are not read do not count.
  var bytes = 1 << 20
}

/// The next elements of a read, copied out of a snapshot that has ended.
struct EntryPage<Element: Sendable>: Sendable {
  /// The elements, possibly none: where entries are left out, the read continues after them.
  var elements: [Element]
  /// How the page ended.
  var end: PageEnd
}

/// How a page ended.
struct PageEnd: Sendable {
  /// The position of the last entry that is done with, whether it was left out or not; `nil` for none.
  var last: Position?
  /// Whether the read ends after the page.
  var isLast = false
  /// The error to throw after the elements of the page.
  var failure: AnnalsError?
  /// The entry that the failure is about; `nil` if the log itself could not be read.
  var unreadable: UnreadableEntry?
}

/// A stored entry that could not be decoded or upcast.
struct UnreadableEntry: Sendable {
  let position: Position
  let stream: StreamName
  let error: AnnalsError
  /// The cases of the current event that the entry may become; `nil` if they are not known.
  var cases: Set<Int>?
  /// The checkpoint after the entry, in a live read.
  var checkpoint: Checkpoint?
}

extension EntryCursor {
  /// Gives the entries of one page to `take`: the loop that every read of pages runs.
  ///
  /// - Parameters:
  ///   - limits: The size of the page.
  ///   - kinds: The kinds of entries that are read.
  ///   - take: Keeps what the reader wants of an entry, and returns how many elements the page has then.
  mutating func page(
    _ limits: PageLimits, of kinds: WantedKinds = WantedKinds(),
    _ take: (borrowing LentEntry, StreamName) throws(AnnalsError) -> Int
  ) -> PageEnd {
    var end = PageEnd()
    var (scanned, elements, bytes) = (0, 0, 0)
    do throws(AnnalsError) {
      while scanned < limits.scanned, elements < limits.elements, bytes < limits.bytes,
        let entry = try next()
      {
        scanned += 1
        if entry.position.rawValue > steps.floor, kinds.include(entry) {
          bytes += entry.bytes.count
          let stream = try name(of: entry)
          if steps.includes(stream) {
            do throws(AnnalsError) { elements = try take(entry, stream) } catch {
              end.unreadable = UnreadableEntry(position: entry.position, stream: stream, error: error)
              throw error
            }
          }
        }
        end.last = entry.position
      }
    } catch {
      end.failure = error
    }
    end.isLast = steps.isAtEnd
    return end
  }

  /// Adds the events of one page of entries to `buffer`, in the plan's current version.
  ///
  /// An entry that cannot be upcast ends the page, and none of its events are added.
  mutating func events<Event>(
    _ limits: PageLimits, through upcaster: Upcaster, backwards: Bool = false,
    into buffer: TypedEventBuffer<Event>
  ) -> PageEnd {
    var whole = buffer.count
    var cases: Set<Int>?
    var end = page(limits, of: upcaster.wanted) { (entry, stream) throws(AnnalsError) in
      do throws(AnnalsError) { try upcaster.upcast(entry, of: stream, into: buffer) } catch {
        buffer.keep(first: whole)
        cases = upcaster.cases(of: entry)
        throw error
      }
      // The buffer's own count: this code is not specialised for the event, and asking an array takes long.
      if backwards, buffer.count > whole + 1 { buffer.entries[whole...].reverse() }
      whole = buffer.count
      return whole
    }
    end.unreadable?.cases = cases
    return end
  }
}
