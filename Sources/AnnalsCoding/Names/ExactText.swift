/// Text that is equal to another only if its UTF-8 bytes are.
///
/// Swift's `String` compares by canonical equivalence, so precomposed and decomposed letters are equal. Names
/// and keys on disk are bytes.
package struct ExactText: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.utf8.span.isEqual(to: right.text.utf8.span)
  }

  package static func < (left: ExactText, right: ExactText) -> Bool {
    left.text.utf8.span.precedes(right.text.utf8.span)
  }

  package func hash(into hasher: inout Hasher) {
    text.utf8.span.hash(into: &hasher)
  }
}
