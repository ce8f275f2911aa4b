import Annals

/// The options of verbs that choose entries by record type and tag.
enum QueryArguments {
  static let lists: Set<String> = ["--type", "--tag"]
  static let help = """
      --type T           only events of the record type T, by its stored name; repeated, of any of them
      --tag T            only events with the tag T; repeated, with all of them
    """

  /// The query of a command line; `nil` without these options.
  static func query(_ arguments: Arguments) throws(UsageError) -> LogQuery? {
    let types = try arguments.list("--type")
    let tags = try arguments.list("--tag")
    if types.isEmpty, tags.isEmpty { return nil }
    return [LogQuery.Item(types: types, tags: Set(tags.map { EventTag($0) }))]
  }
}
