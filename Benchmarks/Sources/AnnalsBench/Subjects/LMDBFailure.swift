import CBareLMDB

/// A call of liblmdb that failed.
struct LMDBFailure: Error, CustomStringConvertible {
  let code: Int32
  let function: String

  var description: String { unsafe "\(function): \(String(cString: mdb_strerror(code))) (\(code))" }

  /// Throws what a call returned, unless it is success.
  @inline(__always)
  static func check(_ code: Int32, _ function: @autoclosure () -> String) throws(LMDBFailure) {
    guard code == MDB_SUCCESS else { throw LMDBFailure(code: code, function: function()) }
  }
}
