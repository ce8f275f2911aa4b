import CLMDB

/// Memory that was freed, and that the C library's allocator keeps for later.
package enum FreeMemory {
  /// Gives it back to the system. Other threads may wait for memory meanwhile.
  package static func giveBack() { lmdb_trim_heap() }
}
