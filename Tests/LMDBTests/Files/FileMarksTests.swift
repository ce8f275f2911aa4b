import LMDB
import Testing

/// Marks of a file, as processes see those of others. Each value has an open file of its own.
struct FileMarksTests {
  @Test func `A mark is seen by others until it is removed, or its value ends`() throws {
    let shelf = try Shelf()
    let directory = shelf.directory
    #expect(throws: StoreFileError.missing(file: "marks")) {
      _ = try FileMarks("marks", in: directory, create: false)
    }
    let numbers = 1 << 40..<1 << 40 + 1 << 32 as Range<UInt64>
    let other = try FileMarks("marks", in: directory, create: true)
    do {
      let marks = try FileMarks("marks", in: directory, create: true)
      #expect(try !other.isMarked(numbers))
      try marks.mark(1 << 40 + 7)
      try marks.mark(1 << 40 + 8)
      #expect(try other.isMarked(numbers))
      // Marks of several observers, of this process or others, do not exclude each other.
      try other.mark(1 << 40 + 7)
      other.unmark(1 << 40 + 7)
      // Nor does a further open file that is closed end them.
      _ = try FileMarks("marks", in: directory, create: false).isMarked(numbers)
      marks.unmark(1 << 40 + 7)
      #expect(try other.isMarked(numbers))
      #expect(try !other.isMarked(0..<1 << 40))
      // A value does not see its own.
      #expect(try !marks.isMarked(numbers))
      withExtendedLifetime(marks) {}
    }
    #expect(try !other.isMarked(numbers))
    withExtendedLifetime(shelf) {}
  }
}
