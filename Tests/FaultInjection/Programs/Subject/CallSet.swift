/// Numbers of calls, written as ranges so that a long run of them is one word.
package struct CallSet: Hashable, Sendable {
  package var numbers: Set<Int>

  package init(_ numbers: some Sequence<Int>) {
    self.numbers = Set(numbers)
  }

  /// Parses the output of ``text``.
  ///
  /// - Returns: `nil` for anything else.
  package init?(text: Substring) {
    numbers = []
    if text == "-" { return }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
      guard let first = ends.first, let last = ends.last, let first, let last, first <= last else {
        return nil
      }
      numbers.formUnion(first...last)
    }
  }

  /// The numbers in words without blanks: `0..57,59`, or `-` for none.
  package var text: String {
    var parts: [String] = []
    var rest = numbers.sorted()[...]
    while let first = rest.popFirst() {
      var last = first
      while rest.first == last + 1 { last = rest.removeFirst() }
      parts.append(first == last ? "\(first)" : "\(first)..\(last)")
    }
    return parts.isEmpty ? "-" : parts.joined(separator: ",")
  }
}
