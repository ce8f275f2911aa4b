extension PageWalk {
  /// Checks a page and all pages below it.
  ///
  /// - Parameters:
  ///   - number: The number of the page.
  ///   - level: 1 for the root, so that the recursion is at most as deep as the record says.
  ///   - place: The place of the reference to the page.
  ///   - lower: The lower bound of the page's keys, inclusive.
  ///   - upper: The upper bound of the page's keys, exclusive.
  mutating func visit(
    _ number: UInt64, level: Int, from place: (page: UInt64, offset: Int), lower: Span<UInt8>?,
    upper: Span<UInt8>?
  ) throws(StoreFileError) {
    guard take(number, count: 1, from: place) else { return }
    var bytes = [UInt8](repeating: 0, count: pageSize)
    try read(number, into: &bytes)
    let page = TreePage(bytes.span)
    let isLeaf = level == tree.depth
    if isLeaf { tree.leaf += 1 } else { tree.branch += 1 }
    guard page.number == number else {
      find("the page says it is page \(page.number)", page: number, at: 0)
      return
    }
    guard page.flags == (isLeaf ? TreePage.leaf : TreePage.branch) else {
      find("the flags are \(page.flags) at level \(level) of \(tree.depth)", page: number, at: 10)
      return
    }
    if let reason = page.contradiction {
      find(reason, page: number, at: 12)
      return
    }
    // LMDB's own search requires two children, except in the table of free pages.
    guard page.count >= (isLeaf || tree.isFree ? 1 : 2) else {
      find("the page has \(page.count) nodes", page: number, at: 12)
      return
    }
    var isFlat = isLeaf && !tree.isMain && !tree.isFree
    guard
      checkNodes(of: page, number: number, isLeaf: isLeaf, lower: lower, upper: upper, isFlat: &isFlat)
    else { return }
    if isFlat {
      tree.entries += UInt64(page.count)
      return
    }
    for index in 0..<page.count {
      guard let node = page.node(index) else { return }
      if isLeaf {
        tree.entries += 1
        try visitValue(of: node, in: page, number: number)
      } else {
        let place = (page: number, offset: node.offset)
        let from = index > 0 ? page.key(of: node) : lower
        if index + 1 < page.count, let next = page.node(index + 1) {
          let end = page.key(of: next)
          if let after = tree.after, end.count == 8, end.number64(at: 0) <= after { continue }
          try visit(node.child, level: level + 1, from: place, lower: from, upper: end)
        } else {
          try visit(node.child, level: level + 1, from: place, lower: from, upper: upper)
        }
      }
    }
  }

  /// Checks that the nodes of a page do not overlap and that their keys ascend within the bounds.
  ///
  /// - Parameter isFlat: Becomes `false` if a node has flags, so that its value is to be looked at.
  /// - Returns: Whether each node is inside the page.
  private mutating func checkNodes(
    of page: borrowing TreePage, number: UInt64, isLeaf: Bool, lower: Span<UInt8>?, upper: Span<UInt8>?,
    isFlat: inout Bool
  ) -> Bool {
    var last: Node?
    var taken = 0
    // Where the next node ends if rows were appended; then no node can lie on another one.
    var start = pageSize
    var isAppended = true
    for index in 0..<page.count {
      let place = TreePage.headerSize + 2 * index
      guard let node = page.node(index) else {
        find("node \(index) is not inside the page", page: number, at: place)
        return false
      }
      defer { last = node }
      if node.flags != 0 { isFlat = false }
      let size = isLeaf ? node.keyEnd + node.storedCount : node.keyEnd
      taken += size + size % 2
      if node.offset + size + size % 2 == start { start = node.offset } else { isAppended = false }
      // The first key of a branch page covers everything below the second.
      if !isLeaf && index == 0 { continue }
      let key = page.key(of: node)
      guard tree.integerKeys ? key.count == 8 : (1...511).contains(key.count) else {
        find("the key of node \(index) has \(key.count) bytes", page: number, at: node.offset + 6)
        return false
      }
      var isInOrder = true
      if index > (isLeaf ? 0 : 1), let last {
        isInOrder = isBelow(page.key(of: last), key)
      } else if let lower {
        isInOrder = !isBelow(key, lower)
      }
      if let upper, !isBelow(key, upper) { isInOrder = false }
      if !isInOrder {
        find("the key of node \(index) is out of order", page: number, at: node.offset)
      }
    }
    if !isAppended { checkSpace(of: page, number: number, isLeaf: isLeaf) }
    // LMDB moves the other nodes together whenever one is removed.
    if taken != pageSize - page.upper {
      find("the nodes have \(taken) bytes of \(pageSize - page.upper)", page: number, at: 14)
    }
    return true
  }

  /// Checks that no node lies on another one; all are inside the page.
  private mutating func checkSpace(of page: borrowing TreePage, number: UInt64, isLeaf: Bool) {
    var space = PageSpace()
    for index in 0..<page.count {
      guard let node = page.node(index) else { return }
      let size = isLeaf ? node.keyEnd + node.storedCount : node.keyEnd
      if !space.take(node.offset..<node.offset + size) {
        find("node \(index) lies on another one", page: number, at: node.offset)
      }
    }
  }

  /// Returns whether a key sorts before another of the same tree; the size of keys has been checked.
  private func isBelow(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    if tree.integerKeys && left.count == 8 && right.count == 8 {
      return left.number64(at: 0) < right.number64(at: 0)
    }
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return left[index] < right[index]
    }
    return left.count < right.count
  }
}
