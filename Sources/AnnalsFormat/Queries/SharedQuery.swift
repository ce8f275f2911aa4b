package import AnnalsCoding
internal import AnnalsShapes

/// A query of stored types and tags that has the same result in every program, regardless of its plan.
///
/// Conditions of appends travel in this form between the machines of a cluster, which may run programs of
/// different versions. An entry counts with the type, version and tags that it was appended with, so that no
/// pass of a machine changes what a condition finds there.
package struct SharedQuery: Equatable, Sendable {
  /// The versions of a stored type.
  package enum Versions: Hashable, Sendable {
    /// Every version, and none.
    case all
    /// Events that were stored without a version.
    case none
    /// One version.
    case only(SchemaVersion)
  }

  /// A stored type in some versions.
  package struct StoredType: Hashable, Sendable {
    package var name: ExactText
    package var versions: Versions

    package init(name: ExactText, versions: Versions) {
      self.name = name
      self.versions = versions
    }
  }

  /// One alternative.
  package struct Item: Equatable, Sendable {
    /// The types; `nil` for all.
    package var types: Set<StoredType>?
    /// The version above which every type counts as selected; `nil` for none.
    package var newerThan: SchemaVersion?
    /// The tags that an event must have, all of them, in the order of their bytes.
    package var tags: [EventTag]

    package init(types: Set<StoredType>?, newerThan: SchemaVersion? = nil, tags: [EventTag]) {
      self.types = types
      self.newerThan = newerThan
      self.tags = tags
    }

    /// Whether entries of a type are selected, as far as the type says.
    func includes(_ type: OriginalType) -> Bool {
      guard let types else { return true }
      if let newerThan, let version = type.version, version > newerThan { return true }
      if types.contains(StoredType(name: type.name, versions: .all)) { return true }
      let versions = type.version.map { Versions.only($0) } ?? .none
      return types.contains(StoredType(name: type.name, versions: versions))
    }
  }

  /// The alternatives; a query without any matches nothing.
  package var items: [Item]

  package init(_ items: [Item]) {
    self.items = items
  }

  /// The query of an untyped log.
  package init(_ query: LogQuery) {
    items = query.items.map { item in
      Item(
        types: item.types.isEmpty
          ? nil : Set(item.types.map { StoredType(name: ExactText($0), versions: .all) }),
        tags: item.tags.sorted())
    }
  }
}

extension SharedQuery: QueryForm {
  package func stored(_ kinds: KindRegistry) -> StoredQuery {
    StoredQuery(
      items.map { item in
        var wanted: WantedKinds?
        if item.types != nil {
          wanted = WantedKinds(count: kinds.kinds.keys.max()) { number in
            kinds.kinds[number].map { item.includes(OriginalType($0)) } ?? false
          }
        }
        return StoredQuery.Item(kinds: wanted, tags: item.tags, shared: item)
      })
  }
}
