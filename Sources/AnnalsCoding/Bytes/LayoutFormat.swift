/// The format of the layouts that this library writes.
@usableFromInline package enum LayoutFormat {
  /// The newest format that this library reads.
  @inlinable package static var newest: UInt8 { 1 }
}
