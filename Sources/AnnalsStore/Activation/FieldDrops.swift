package import AnnalsCoding
package import AnnalsFormat
internal import AnnalsLog

/// The names of undeclared fields that may be lost.
package struct FieldDrops: Sendable {
  private var names: Set<ExactText>

  /// No field.
  package static let none = FieldDrops([])

  /// The fields with these names.
  package init(_ names: Set<String>) {
    self.names = Set(names.map(UndeclaredField.exact))
  }

  /// Adds what `other` has.
  package func union(_ other: FieldDrops) -> FieldDrops {
    var all = self
    all.names.formUnion(other.names)
    return all
  }

  /// Whether the field that `path` leads to may be lost, in entries of `kind`.
  package func contains(_ kind: KindRegistry.Kind, _ path: [ExactText]) -> Bool {
    !names.isEmpty
      && names.contains(ExactText(UndeclaredField.name(type: kind.row.name, path: path.map(\.text))))
  }

  /// Whether the field may be lost.
  package func contains(_ field: UndeclaredField) -> Bool {
    names.contains(ExactText(field.name))
  }
}

extension AnnalsError {
  /// The error for fields that would be lost and that the caller has not named.
  ///
  /// - Parameters:
  ///   - fields: The fields; there is at least one.
  ///   - what: The operation that would lose them.
  package init(undeclared fields: [UndeclaredField], _ what: String) {
    let list = fields.map { "\n- \($0)" }.joined()
    self.init(
      .undeclaredFields,
      "\(what) would lose fields that the plan does not declare, and nothing was changed: declare them in the version as which they are read, or name those that may go in 'dropFields' ('--drop-fields \(fields.first?.name ?? "TYPE.KEY"),…'):\(list)",
      details: AnnalsError.Details {
        $0.fields = fields
        $0.type = fields.first?.type
        $0.version = fields.first?.version
        $0.position = fields.first?.firstPosition
      })
  }
}
