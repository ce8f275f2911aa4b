import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `set`: changes the settings with which a store was created.
struct SetVerb: Verb {
  static let name = "set"
  static let summary = "Changes how far back a store recognises event ids."
  static let synopsis = "idempotency <store> always|window=N [--json]"
  static let help = """

    With 'window=N' an append whose event ids are among the newest N entries of their stream, 1 to 65536,
    is not stored again; stores are created with 'window=64'. With 'always' ids are recognised forever: an
    index of all ids is built while others append, and every append keeps it up to date from then on. After
    that, programs with an older library cannot write to the store. To continue a change that was
    interrupted, repeat it.

    """
  static let grammar = Arguments.Grammar(operands: ["idempotency", "<store>", "always|window=N"])

  let store: StorePath
  let isJSON: Bool
  let idempotency: StoreOptions.Idempotency

  init(_ arguments: Arguments) throws(UsageError) {
    let property = try arguments.text(operand: 0)
    guard property == "idempotency" else {
      throw UsageError("there is nothing to set called '\(property)'; only 'idempotency'")
    }
    store = try arguments.path(operand: 1)
    isJSON = arguments.has("--json")
    idempotency = try Self.idempotency(arguments.text(operand: 2))
  }

  private static func idempotency(_ text: String) throws(UsageError) -> StoreOptions.Idempotency {
    if text == "always" { return .always }
    let prefix = "window="
    guard text.hasPrefix(prefix), let count = Arguments.wholeNumber(text.dropFirst(prefix.count)),
      (1...65_536).contains(count)
    else { throw UsageError("'always' or 'window=N' with 1 to 65536 is needed, not '\(text)'") }
    return .window(Int(count))
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let log = try EventLog(at: store.url, options: StoreOptions(creation: .never))
    var line = progress
    defer { progress = line }
    let isChanged = try log.setIdempotency(idempotency) { done in
      line.update("\(done.done) of \(done.total) entries")
    }
    if isJSON {
      var report = ReportLine()
      report.add("idempotency", idempotency.description)
      report.add("changed", isChanged)
      try output.write(report.bytes)
    } else {
      try output.writeLine(
        isChanged
          ? "event ids are recognised by '\(idempotency)' from now on"
          : "event ids were recognised by '\(idempotency)' before; nothing was changed")
    }
    return ExitStatus.success
  }
}
