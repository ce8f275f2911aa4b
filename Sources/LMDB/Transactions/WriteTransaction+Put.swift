import CLMDB

extension WriteTransaction {
  /// Sets the value of a key that is a number.
  public mutating func put(
    _ value: Span<UInt8>, forKey key: UInt64, in table: Table
  ) throws(EnvironmentError) {
    try put(value, number: key, in: table, flags: 0)
  }

  /// Sets the value of a key of 1 to 511 bytes.
  public mutating func put(
    _ value: Span<UInt8>, forKey key: Span<UInt8>, in table: Table
  ) throws(EnvironmentError) {
    try LMDB.check(key: key, of: table)
    try check(valueCount: value.count)
    try unsafe key.withUnsafeBytes { (keyBytes) throws(EnvironmentError) in
      try unsafe value.withUnsafeBytes { (bytes) throws(EnvironmentError) in
        var key = unsafe MDB_val(reading: keyBytes)
        var value = unsafe MDB_val(reading: bytes)
        let code = unsafe mdb_put(handle.pointer, table.number, &key, &value, 0)
        environment.note(code)
        try LMDB.check(code, "mdb_put")
      }
    }
    record?.put(table, key, value)
  }

  /// Appends a value after the last one of a table.
  ///
  /// - Throws: `orderBroken` if the key is not higher than all keys of the table.
  public mutating func append(
    _ value: Span<UInt8>, forKey key: UInt64, in table: Table
  ) throws(EnvironmentError) {
    try put(value, number: key, in: table, flags: UInt32(MDB_APPEND))
  }

  /// Appends a value of `count` bytes after the last one of a table; the bytes are zero, and `fill` may
  /// overwrite them.
  ///
  /// - Throws: `orderBroken` if the key is not higher than all keys of the table.
  @inline(__always)
  public mutating func append(
    _ count: Int, forKey key: UInt64, in table: Table, _ fill: (inout MutableSpan<UInt8>) -> Void
  ) throws(EnvironmentError) {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    try check(valueCount: count)
    let cursor = try unsafe cursor(in: table)
    var number = key
    try unsafe withUnsafeMutableBytes(of: &number) { (bytes) throws(EnvironmentError) in
      var keyValue = unsafe MDB_val(bytes)
      var value = unsafe MDB_val(mv_size: count, mv_data: nil)
      let flags = UInt32(MDB_RESERVE | MDB_APPEND)
      let code = unsafe mdb_cursor_put(cursor, &keyValue, &value, flags)
      try check(put: code, number: key, in: table, flags: flags)
      let buffer = unsafe UnsafeMutableRawBufferPointer(start: value.mv_data, count: count)
      // LMDB leaves the previous contents of the heap there, which must not reach the disk.
      unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
      var span = unsafe MutableSpan<UInt8>(_unsafeBytes: buffer)
      fill(&span)
      note(span.span, key, table)
    }
  }

  /// Appends a value after the last one of a table to which one was probably appended just before.
  ///
  /// - Throws: `orderBroken` if the key is not higher than all keys of the table.
  @inline(__always)
  public mutating func append(
    near value: Span<UInt8>, forKey key: UInt64, in table: Table
  ) throws(EnvironmentError) {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    try check(valueCount: value.count)
    let cursor = try unsafe cursor(in: table)
    var number = key
    try unsafe withUnsafeMutableBytes(of: &number) { (keyBytes) throws(EnvironmentError) in
      try unsafe value.withUnsafeBytes { (bytes) throws(EnvironmentError) in
        var keyValue = unsafe MDB_val(keyBytes)
        var value = unsafe MDB_val(reading: bytes)
        let flags = UInt32(MDB_APPEND)
        let code = unsafe mdb_cursor_put(cursor, &keyValue, &value, flags)
        try check(put: code, number: key, in: table, flags: flags)
      }
    }
    note(value, key, table)
  }

  /// Sets the value of a key that is a number and probably near the last one set with this method.
  public mutating func put(
    near value: Span<UInt8>, forKey key: UInt64, in table: Table
  ) throws(EnvironmentError) {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    try check(valueCount: value.count)
    let cursor = try unsafe cursor(in: table)
    var number = key
    try unsafe withUnsafeMutableBytes(of: &number) { (keyBytes) throws(EnvironmentError) in
      try unsafe value.withUnsafeBytes { (bytes) throws(EnvironmentError) in
        var key = unsafe MDB_val(keyBytes)
        var value = unsafe MDB_val(reading: bytes)
        let code = unsafe mdb_cursor_put(cursor, &key, &value, 0)
        environment.note(code)
        try LMDB.check(code, "mdb_cursor_put")
      }
    }
    note(value, key, table)
  }

  /// Sets the value of a key of 1 to 511 bytes that is probably near the last one set with this method.
  public mutating func put(
    near value: Span<UInt8>, forKey key: Span<UInt8>, in table: Table
  ) throws(EnvironmentError) {
    try LMDB.check(key: key, of: table)
    try check(valueCount: value.count)
    let cursor = try unsafe cursor(in: table)
    try unsafe key.withUnsafeBytes { (keyBytes) throws(EnvironmentError) in
      try unsafe value.withUnsafeBytes { (bytes) throws(EnvironmentError) in
        var key = unsafe MDB_val(reading: keyBytes)
        var value = unsafe MDB_val(reading: bytes)
        let code = unsafe mdb_cursor_put(cursor, &key, &value, 0)
        environment.note(code)
        try LMDB.check(code, "mdb_cursor_put")
      }
    }
    record?.put(table, key, value)
  }

  /// Removes a key that is a number.
  ///
  /// - Returns: Whether the key existed.
  @discardableResult
  public mutating func delete(
    key: UInt64, in table: Table
  ) throws(EnvironmentError) -> Bool {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    var number = key
    let isThere = try unsafe withUnsafeMutableBytes(of: &number) { (bytes) throws(EnvironmentError) in
      try unsafe delete(MDB_val(bytes), in: table)
    }
    if isThere, record != nil { CommitRecord.with(key) { record?.delete(table, $0) } }
    return isThere
  }

  /// Removes a key of 1 to 511 bytes.
  ///
  /// - Returns: Whether the key existed.
  @discardableResult
  public mutating func delete(
    key: Span<UInt8>, in table: Table
  ) throws(EnvironmentError) -> Bool {
    try LMDB.check(key: key, of: table)
    let isThere = try unsafe key.withUnsafeBytes { (bytes) throws(EnvironmentError) in
      try unsafe delete(MDB_val(reading: bytes), in: table)
    }
    if isThere { record?.delete(table, key) }
    return isThere
  }

  /// Adds a change of a table whose keys are numbers to the record, if there is one.
  private mutating func note(_ value: Span<UInt8>, _ key: UInt64, _ table: Table) {
    guard record != nil else { return }
    CommitRecord.with(key) { record?.put(table, $0, value) }
  }

  private func delete(_ key: MDB_val, in table: Table) throws(EnvironmentError) -> Bool {
    var key = unsafe key
    let code = unsafe mdb_del(handle.pointer, table.number, &key, nil)
    if code == MDB_NOTFOUND { return false }
    environment.note(code)
    try LMDB.check(code, "mdb_del")
    return true
  }

  private mutating func put(
    _ value: Span<UInt8>, number: UInt64, in table: Table, flags: UInt32
  ) throws(EnvironmentError) {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    try check(valueCount: value.count)
    var copy = number
    try unsafe withUnsafeMutableBytes(of: &copy) { (keyBytes) throws(EnvironmentError) in
      try unsafe value.withUnsafeBytes { (bytes) throws(EnvironmentError) in
        var key = unsafe MDB_val(keyBytes)
        var value = unsafe MDB_val(reading: bytes)
        let code = unsafe mdb_put(handle.pointer, table.number, &key, &value, flags)
        try check(put: code, number: number, in: table, flags: flags)
      }
    }
    note(value, number, table)
  }

  private func check(
    put code: Int32, number: UInt64, in table: Table, flags: UInt32
  ) throws(EnvironmentError) {
    environment.note(code)
    // LMDB returns this code for an appended key out of order, although it is no duplicate.
    if code == MDB_KEYEXIST, flags & UInt32(MDB_APPEND) != 0 {
      throw .orderBroken(table: table.definition.name, key: number)
    }
    try LMDB.check(code, "mdb_put")
  }

  private func check(valueCount count: Int) throws(EnvironmentError) {
    guard (0...Self.maximumValueCount).contains(count) else { throw .valueSize(count) }
  }
}
