/// A value that its owner uses one access at a time.
///
/// Swift checks while a program runs that no two accesses to a property of a class overlap. For properties
/// that change with every event, these checks took up to a fifth of the time of a fold. This value is not
/// checked.
///
/// Its owner says why no accesses overlap: one thread uses the value, and nothing that runs during an access
/// can reach the owner.
@usableFromInline package final class SerialValue<Value> {
  @exclusivity(unchecked) @usableFromInline var storage: Value

  @inlinable package init(_ value: Value) {
    unsafe storage = value
  }

  /// The value.
  @inlinable package var value: Value {
    _read { yield unsafe storage }
    _modify { yield unsafe &storage }
  }
}

@available(*, unavailable) extension SerialValue: Sendable {}
