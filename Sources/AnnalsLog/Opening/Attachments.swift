import Synchronization

/// The values that upper layers keep with a log or a store, one of each type.
///
/// A layer attaches a value of a type of its own. The log neither knows the type nor looks at the value,
/// which ends with the log.
package final class Attachments: Sendable {
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

  package init() {}

  /// Returns the attached value of a type, or attaches a new one.
  ///
  /// - Parameter make: Makes the value. It must not use the attachments.
  package func value<Value: Sendable>(_ type: Value.Type, _ make: () -> Value) -> Value {
    values.withLock { values in
      if let known = values[ObjectIdentifier(type)] as? Value { return known }
      let made = make()
      values[ObjectIdentifier(type)] = made
      return made
    }
  }

  /// Returns the attached value of a type; `nil` if there is none.
  package func value<Value: Sendable>(_ type: Value.Type) -> Value? {
    values.withLock { $0[ObjectIdentifier(type)] as? Value }
  }

  /// Attaches a value, in place of the earlier one of its type.
  package func attach<Value: Sendable>(_ value: Value) {
    values.withLock { $0[ObjectIdentifier(Value.self)] = value }
  }
}
