/// The metadata of an event: values by key, in the order of the keys' bytes.
///
/// Keys are compared as UTF-8 bytes, and are unique.
public struct Metadata: Sendable {
  /// A key and its value.
  public typealias Element = (key: String, value: CBOR)

  private(set) var elements: [Element] = []

  /// Creates metadata from elements sorted by the bytes of their keys.
  init(sorted elements: [Element]) {
    self.elements = elements
  }

  /// Creates empty metadata.
  public init() {}

  /// The value of `key`; `nil` if there is none. Set to `nil` to remove it.
  ///
  /// - Complexity: O(log `count`) comparisons to read, O(`count`) to write.
  public subscript(key: String) -> CBOR? {
    get {
      let (index, found) = place(of: key)
      guard found else { return nil }
      return elements[index].value
    }
    set {
      let (index, found) = place(of: key)
      switch (newValue, found) {
      case (let value?, true): elements[index].value = value
      case (let value?, false): elements.insert((key, value), at: index)
      case (nil, true): elements.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Returns the index of `key`, or the index at which to insert it, and whether it exists.
  private func place(of key: String) -> (index: Int, found: Bool) {
    var low = 0
    var high = elements.count
    while low < high {
      let middle = (low + high) / 2
      if elements[middle].key.utf8.lexicographicallyPrecedes(key.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (low, low < elements.count && elements[low].key.utf8.elementsEqual(key.utf8))
  }
}

extension Metadata: RandomAccessCollection {
  /// The index of the first key.
  public var startIndex: Int { elements.startIndex }
  /// The index after the last key.
  public var endIndex: Int { elements.endIndex }
  /// The key at `index` and its value.
  public subscript(index: Int) -> Element { elements[index] }
}

extension Metadata: Hashable {
  /// Returns whether both have the same keys, byte for byte, with the same values.
  public static func == (left: Metadata, right: Metadata) -> Bool {
    left.elementsEqual(right) { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
  }

  /// Hashes keys and values into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in elements {
      hasher.combine(CBOR.text(element.key))
      hasher.combine(element.value)
    }
  }
}

extension Metadata: ExpressibleByDictionaryLiteral {
  /// Creates metadata from a literal; a duplicate key is a programming error and traps.
  public init(dictionaryLiteral elements: (String, CBOR)...) {
    for (key, value) in elements {
      precondition(!place(of: key).found, "a key is written twice in a metadata literal")
      self[key] = value
    }
  }
}
