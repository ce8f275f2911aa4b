/// The format of the layouts that this library writes.
package enum LayoutFormat {
  /// The newest format that this library reads.
  package static let newest: UInt8 = 1
}
