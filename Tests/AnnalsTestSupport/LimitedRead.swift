extension Sequence {
  /// The elements that a read with a limit gives: those up to the limit, and the rest of the last entry.
  ///
  /// - Parameter entry: The entry that an element is of.
  public func read<Place: Equatable>(upTo limit: Int, of entry: (Element) -> Place) -> [Element] {
    var read: [Element] = []
    for element in self {
      if read.count >= limit, read.last.map({ entry($0) != entry(element) }) ?? true { break }
      read.append(element)
    }
    return read
  }
}
