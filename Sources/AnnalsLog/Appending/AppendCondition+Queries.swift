package import AnnalsCoding
package import AnnalsFormat

extension LogQuery {
  /// The condition that no entry after `position` matches.
  func condition(after position: Position?) throws(AnnalsError) -> AppendCondition {
    let tags = tags
    try tags.check()
    return AppendCondition(tags, after: position, self)
  }
}

extension LogQuery: ConditionForm {
  package var shared: SharedQuery { SharedQuery(self) }

  package func comparison(_: KindRegistry, _: Generation) -> (any ConditionComparison)? { nil }
}

extension SharedQuery: ConditionForm {
  /// The condition that no entry after `position` matches the query.
  package func condition(after position: Position?) -> AppendCondition {
    var tags = QueryTags()
    for item in items { tags.add(item.tags) }
    return AppendCondition(tags, after: position, self)
  }

  package var shared: SharedQuery { self }

  package func comparison(_: KindRegistry, _: Generation) -> (any ConditionComparison)? { nil }
}
