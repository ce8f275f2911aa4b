import Annals

/// `schema`: writes the source of the plan's next version.
struct SchemaVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { "schema" }
  static var summary: String { "Writes the Swift file of the plan's next version." }
  static var synopsis: String {
    "new [--version V] [--name NAME] [--changing RECORD]... [--draft] [--public] [--json]"
  }
  static var help: String {
    """

    The file has the next schema, with a typealias for each record, the stage to it, which has no rules, and
    as a comment the lines of the plan that change. It is printed, and no file is written or edited:

      <command> schema new > ShopV3.swift

      --version V        the version; otherwise the next minor one
      --name NAME        the schema's name; otherwise the current one's with the next number
      --changing RECORD  declares this record again, by its name on disk, with its fields as they are stored.
                         Names of properties that differ from those on disk are not known, nor are tags; a
                         value of erased: without a literal is printed as …. May be repeated
      --draft            makes the version a draft, whose shapes may still change
      --public           makes the declarations public

    """
  }
  static var grammar: Arguments.Grammar {
    Arguments.Grammar(
      flags: ["--draft", "--public"], values: ["--version", "--name"], lists: ["--changing"],
      operands: ["new"])
  }

  let options: NextSchema.Options
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    let word = try arguments.text(operand: 0)
    guard word == "new" else { throw UsageError("'schema' has one action, 'new', not '\(word)'") }
    var options = NextSchema.Options()
    if let text = try arguments.value("--version") {
      guard let version = SchemaVersion(text) else {
        throw UsageError("--version needs a version such as 2.0.0")
      }
      options.version = version
    }
    options.name = try arguments.value("--name")
    guard options.name?.contains("`") != true, options.name?.isEmpty != true else {
      throw UsageError("--name needs the name of a Swift type")
    }
    options.changing = try arguments.list("--changing")
    options.isDraft = arguments.has("--draft")
    options.isPublic = arguments.has("--public")
    self.options = options
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let next = try NextSchema(after: Plan.self, options)
    guard isJSON else {
      try output.write(Array(next.source.utf8))
      return ExitStatus.success
    }
    var line = ReportLine()
    line.add("version", next.version)
    line.add("name", next.name)
    line.add("stage", next.stage)
    line.add("source", next.source)
    try output.write(line.bytes)
    return ExitStatus.success
  }
}
