internal import AnnalsCoding
internal import AnnalsShapes
import Synchronization

/// The shapes of record types that messages had, by their texts, and whole lists of record types, by their
/// bytes: most messages have the same few.
package final class ShapeMemory: Sendable {
  /// The number of shapes after which all are forgotten, because a log may have any number of texts.
  private static let limit = 1_024

  private let shapes = Mutex<[String: StoredShape]>([:])
  private let lists = Mutex<[RecordList]>([])

  package init() {}

  /// Reads a list of record types. What it means depends on its bytes alone.
  func records(
    _ reader: inout ByteReader, _ read: (inout ByteReader) throws(FormatFailure) -> [RecordKind]
  ) throws(FormatFailure) -> RecordList {
    let start = reader.offset
    for list in lists.withLock({ $0 }) where list.bytes.count <= reader.remaining {
      let end = start + list.bytes.count
      guard reader.bytes.extracting(start..<end).isEqual(to: list.bytes.span) else { continue }
      reader.offset = end
      return list
    }
    let records = try read(&reader)
    let list = RecordList(
      bytes: reader.copy(start..<reader.offset), records: records,
      isNamed: records.allSatisfy { NameRule.allows($0.type.text) })
    if list.bytes.count <= RecordList.longest {
      lists.withLock { lists in
        if lists.count >= RecordList.most { lists.removeFirst() }
        lists.append(list)
      }
    }
    return list
  }

  /// Returns the shape with a text.
  func shape(_ text: String, at offset: Int) throws(FormatFailure) -> StoredShape {
    if let known = shapes.withLock({ $0[text] }) { return known }
    let shape: RecordShape
    do throws(ShapeFailure) { shape = try RecordShape(parsing: text) } catch {
      throw FormatFailure(.shape, at: offset)
    }
    guard shape.problems().isEmpty else { throw FormatFailure(.shape, at: offset) }
    let stored = StoredShape(shape)
    // A shape has one text: another text of it would be another kind on disk.
    guard stored.text.utf8.elementsEqual(text.utf8), stored.personal == nil else {
      throw FormatFailure(.shape, at: offset)
    }
    shapes.withLock { shapes in
      if shapes.count >= Self.limit { shapes = [:] }
      shapes[text] = stored
    }
    return stored
  }
}
