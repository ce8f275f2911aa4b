extension PageWalk {
  /// Checks the value of a leaf's node: a table's record, a list of free pages, or bytes that only need to
  /// exist.
  mutating func visitValue(
    of node: Node, in page: borrowing TreePage, number: UInt64
  ) throws(StoreFileError) {
    let allowed = tree.isMain ? Node.isTable : node.flags & Node.isLarge
    guard node.flags == allowed else {
      find("the flags of a node are \(node.flags)", page: number, at: node.offset + 4)
      return
    }
    let start = node.offset + node.keyEnd
    if node.flags & Node.isLarge != 0 {
      try visitLarge(node, first: page.bytes.number64(at: start), key: page, number: number)
      return
    }
    let value = page.bytes.extracting(start..<start + node.storedCount)
    if tree.isMain {
      noteTable(named: page.key(of: node), value, page: number, offset: start)
    } else if tree.isFree {
      checkFree(value, transaction: page.key(of: node).number64(at: 0), page: number, offset: start)
    }
  }

  /// Checks the pages of a large value.
  private mutating func visitLarge(
    _ node: Node, first: UInt64, key page: borrowing TreePage, number: UInt64
  ) throws(StoreFileError) {
    let place = (page: number, offset: node.offset + node.keyEnd)
    guard first >= 2, first < limit else {
      find("a large value on page \(first) of \(limit)", page: number, at: place.offset)
      return
    }
    var header = [UInt8](repeating: 0, count: TreePage.headerSize)
    try read(first, into: &header)
    let large = TreePage(header.span)
    // A value that was shortened keeps the pages of the longer one.
    let least = (TreePage.headerSize - 1 + node.valueCount) / pageSize + 1
    guard large.number == first, large.flags == TreePage.overflow, large.overflowPages >= least else {
      find(
        "a large value's header: page \(large.number), flags \(large.flags), \(large.overflowPages) pages for \(node.valueCount) bytes",
        page: first, at: 0)
      return
    }
    let pages = UInt64(large.overflowPages)
    guard take(first, count: pages, from: place) else { return }
    tree.overflow += pages
    guard tree.isFree else { return }
    // Bounded by the file, because the pages are known to be inside it.
    var bytes = [UInt8](repeating: 0, count: TreePage.headerSize + node.valueCount)
    try read(first, into: &bytes)
    let value = bytes.span.extracting(TreePage.headerSize..<bytes.count)
    checkFree(
      value, transaction: page.key(of: node).number64(at: 0), page: first, offset: TreePage.headerSize)
  }

  /// Records a table of the main table, to be checked later.
  private mutating func noteTable(
    named name: Span<UInt8>, _ value: Span<UInt8>, page: UInt64, offset: Int
  ) {
    let definition = (definitions + later).first { definition in
      definition.name.utf8.elementsEqual(name.indices.map { name[$0] })
    }
    guard let definition else {
      if ignored.contains(where: { $0.utf8.elementsEqual(name.indices.map { name[$0] }) }) { return }
      find("a table that is not in the list", page: page, at: offset)
      return
    }
    guard value.count == TableRecord.size else {
      find("the record of \(definition.name) has \(value.count) bytes", page: page, at: offset)
      return
    }
    let record = TableRecord(value, at: 0)
    guard record.flags == (definition.integerKeys ? TableRecord.integerKeys : 0) else {
      find("the flags of \(definition.name) are \(record.flags)", page: page, at: offset + 4)
      return
    }
    records.append((definition, record, page, offset))
  }

  /// Checks a list of free pages: the number of pages, then the pages from the last to the first.
  private mutating func checkFree(
    _ value: Span<UInt8>, transaction: UInt64, page: UInt64, offset: Int
  ) {
    guard transaction >= 1, transaction <= metas.newer.transaction else {
      find("pages freed by transaction \(transaction)", page: page, at: offset)
      return
    }
    guard value.count >= 8, value.number64(at: 0) <= UInt64(value.count / 8 - 1) else {
      find("a list of free pages longer than its \(value.count) bytes", page: page, at: offset)
      return
    }
    var last = UInt64.max
    for index in 0..<Int(value.number64(at: 0)) {
      let place = 8 + 8 * index
      let number = value.number64(at: place)
      guard number >= 2, number <= metas.newer.lastPage, number < last else {
        find("free page \(number) is out of range or order", page: page, at: offset + place)
        return
      }
      last = number
      // Pages that were taken and returned in one transaction may never have been written.
      if number >= free.limit { freeBeyondEnd += 1 }
      if number < free.limit, !free.insert(number) {
        find("page \(number) is free twice", page: page, at: offset + place)
      }
    }
  }
}
