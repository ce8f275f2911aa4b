internal import AnnalsCoding
internal import AnnalsSchema

/// The stored types whose events certainly never reach a projection, according to a plan.
///
/// Types that the plan does not know are not among them: a newer program may have stored events of them,
/// which were downcast or adopted.
struct ProjectionSources: Equatable, Sendable {
  /// A stored type.
  struct Kind: Hashable, Sendable {
    var version: SchemaVersion
    var name: ExactText
  }

  /// The types that do not reach it.
  let strangers: Set<Kind>

  init(strangers: Set<Kind> = []) {
    self.strangers = strangers
  }

  /// Finds the types for a projection that receives the events of some cases; `nil` means all.
  init(_ plan: CompiledPlan, cases: Set<Int>?) {
    var strangers: Set<Kind> = []
    for schema in plan.schemas {
      for record in schema.records { strangers.insert(Kind(version: schema.version, name: record.name)) }
    }
    let sources = cases.map { plan.sources(ofAny: $0) } ?? Set(plan.steps.indices)
    for source in sources {
      let step = plan.steps[source]
      strangers.remove(Kind(version: step.version, name: ExactText(step.type)))
    }
    self.init(strangers: strangers)
  }

  /// Whether events of a stored type may have reached the projection.
  func mayReach(version: SchemaVersion?, name: ExactText) -> Bool {
    guard let version else { return true }
    return !strangers.contains(Kind(version: version, name: name))
  }

  /// The text stored in a view's file: one line for each type, sorted.
  var text: String {
    strangers.map { "\($0.version) \(Array($0.name.text.utf8).hexadecimal)" }.sorted().joined(separator: "\n")
  }

  /// Parses the text from a view's file; `nil` if the text is malformed.
  init?(_ text: String) {
    var strangers: Set<Kind> = []
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: Array($0), as: UTF8.self) }
      guard words.count == 2, let version = SchemaVersion(words[0]),
        let name = [UInt8](hexadecimal: Substring(words[1]))
      else { return nil }
      strangers.insert(Kind(version: version, name: ExactText(String(decoding: name, as: UTF8.self))))
    }
    self.init(strangers: strangers)
  }
}
