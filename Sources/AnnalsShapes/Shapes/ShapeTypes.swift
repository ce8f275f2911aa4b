internal import AnnalsCoding

/// The types whose shapes are being computed, so that a type may contain itself.
public struct ShapeTypes {
  private var open: [ObjectIdentifier] = []
  /// The number of types entered, each counted as often as it occurs in the shape.
  private var entered = 0

  /// Creates an empty list of types.
  public init() {}

  /// Returns the shape of a type that is stored as its fields.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - fields: Its fields in the order in which they are stored.
  public mutating func record(
    _ type: Any.Type, _ fields: (inout ShapeTypes) -> [FieldShape]
  ) -> ValueShape {
    enter(type) { .record(fields(&$0)) }
  }

  /// Returns the shape of an enum.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - cases: Its cases in the order of their numbers.
  public mutating func choice(
    _ type: Any.Type, _ cases: (inout ShapeTypes) -> [CaseShape]
  ) -> ValueShape {
    enter(type) { .choice(cases(&$0)) }
  }

  private mutating func enter(
    _ type: Any.Type, _ shape: (inout ShapeTypes) -> ValueShape
  ) -> ValueShape {
    let id = ObjectIdentifier(type)
    if let level = open.lastIndex(of: id) { return .enclosing(open.count - 1 - level) }
    entered += 1
    // Types that all contain each other have too many paths through them to write down. A reference out of
    // the shape makes it one that is refused.
    guard entered <= ShapeLimits.parts else { return .enclosing(open.count) }
    open.append(id)
    defer { open.removeLast() }
    return shape(&self)
  }
}
