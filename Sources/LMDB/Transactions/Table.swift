/// The definition of a table of an environment.
public struct TableDefinition: Hashable, Sendable {
  /// The name, which is a key of LMDB's main table.
  public let name: String

  /// Whether the keys are 64-bit numbers in the machine's byte order, and sorted as such.
  public let integerKeys: Bool

  /// Creates the definition of a table with this name.
  public init(_ name: String, integerKeys: Bool) {
    self.name = name
    self.integerKeys = integerKeys
  }
}

/// A table of an open environment.
public struct Table: Hashable, Sendable {
  /// The table's definition.
  public let definition: TableDefinition

  /// LMDB's number for it, valid in the environment it came from.
  let number: UInt32
}
