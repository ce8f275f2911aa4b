internal import AnnalsCoding

/// A version of an inline projection, as the machines of a cluster name it.
package struct RuleVersion: Hashable, Sendable {
  package var name: String
  package var version: UInt64

  package init(name: String, version: UInt64) {
    self.name = name
    self.version = version
  }

  /// Whether two are versions of one projection.
  package func isNamed(as other: RuleVersion) -> Bool { ExactText(name) == ExactText(other.name) }
}

extension [RuleVersion] {
  /// The same versions in the order of their names.
  package var inOrder: [RuleVersion] {
    sorted { left, right in
      ExactText(left.name) == ExactText(right.name)
        ? left.version < right.version : ExactText(left.name) < ExactText(right.name)
    }
  }
}

/// What a step of a roll-out does to the inline projections of a cluster.
package struct RuleSwitch: Hashable, Sendable {
  /// The versions that are in force afterwards, each in place of an earlier one, in the order of their names.
  package var begins: [RuleVersion]
  /// The versions that are retired and have no successor, in the order of their names.
  package var ends: [RuleVersion]

  package init(begins: [RuleVersion] = [], ends: [RuleVersion] = []) {
    self.begins = begins
    self.ends = ends
  }

  package var isEmpty: Bool { begins.isEmpty && ends.isEmpty }

  /// Returns the versions that are in force afterwards, in the order of their names.
  ///
  /// A version that is not in force cannot be retired, which changes nothing.
  ///
  /// - Parameter rules: The versions in force before.
  /// - Returns: `nil` if a later version of one is in force, so that the step is refused.
  package func applied(to rules: [RuleVersion]) -> [RuleVersion]? {
    var after = rules.filter { rule in !ends.contains(rule) }
    for new in begins {
      if let old = after.first(where: { $0.isNamed(as: new) }), old.version > new.version { return nil }
      after.removeAll { $0.isNamed(as: new) }
      after.append(new)
    }
    return after.inOrder
  }
}
