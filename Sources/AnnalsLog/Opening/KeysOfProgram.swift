package import AnnalsShapes

/// How a program makes the keys of personal fields, for each store that it opens.
///
/// A task-local value of the closure's own type crashes in optimised code of Swift 6.3: the runtime is given
/// no metadata for it.
package struct KeysOfProgram: Sendable {
  /// Makes the keys for one store.
  package let make: @Sendable () -> any PersonalDataKeys

  package init(make: @escaping @Sendable () -> any PersonalDataKeys) {
    self.make = make
  }
}
