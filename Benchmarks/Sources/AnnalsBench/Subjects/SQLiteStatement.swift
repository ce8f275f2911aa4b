#if HAS_SQLITE
  import CSQLite

  /// A prepared statement, finalised when this ends.
  @safe
  struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer

    /// Takes over what sqlite3_prepare_v3 gave.
    init(_ handle: OpaquePointer) {
      unsafe self.handle = unsafe handle
    }

    deinit {
      // Its code repeats that of the last step, which was looked at.
      unsafe sqlite3_finalize(handle)
    }

    /// Goes on to the next row; `false` at the end.
    @inline(__always)
    func step() throws(SQLiteFailure) -> Bool {
      let code = unsafe sqlite3_step(handle)
      if code == SQLITE_ROW { return true }
      try SQLiteFailure.check(code, is: SQLITE_DONE, "sqlite3_step")
      return false
    }

    /// Makes the statement ready for its next run. A failed step has thrown already.
    @inline(__always)
    func reset() {
      _ = unsafe sqlite3_reset(handle)
    }

    /// Gives a parameter, counted from 1, a number.
    @inline(__always)
    func bind(_ number: Int64, at index: Int32) throws(SQLiteFailure) {
      try unsafe SQLiteFailure.check(sqlite3_bind_int64(handle, index, number), "sqlite3_bind_int64")
    }

    /// Gives a parameter a text that stays where it is until the statement is reset.
    @inline(__always)
    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) throws(SQLiteFailure) {
      let start = unsafe UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
      try unsafe SQLiteFailure.check(
        sqlite3_bind_text(handle, index, start, Int32(text.count), nil), "sqlite3_bind_text")
    }

    /// Gives a parameter bytes that stay where they are until the statement is reset.
    @inline(__always)
    func bind(bytes: UnsafeBufferPointer<UInt8>, at index: Int32) throws(SQLiteFailure) {
      try unsafe SQLiteFailure.check(
        sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), nil), "sqlite3_bind_blob")
    }

    /// Whether a column of the current row, counted from 0, holds nothing.
    @inline(__always)
    func isNull(_ column: Int32) -> Bool {
      unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// The number in a column of the current row, counted from 0.
    @inline(__always)
    func integer(_ column: Int32) -> Int64 {
      unsafe sqlite3_column_int64(handle, column)
    }

    /// The bytes of a column of the current row, text or blob, until the next step.
    @inline(__always)
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
      let start = unsafe sqlite3_column_blob(handle, column)
      return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
  }
#endif
