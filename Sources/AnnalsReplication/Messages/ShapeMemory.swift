internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes
import Synchronization

/// The shapes of record types that messages had, by their texts: a message has them as text, and most
/// messages have the same few.
package final class ShapeMemory: Sendable {
  /// The number of shapes after which all are forgotten, because a log may have any number of texts.
  private static let limit = 1_024

  private let shapes = Mutex<[String: StoredShape]>([:])

  package init() {}

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
