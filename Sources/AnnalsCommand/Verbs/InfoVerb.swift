import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `info`: describes a store.
struct InfoVerb: Verb {
  static let name = "info"
  static let summary =
    "Shows a store's id, format, schema versions, entries, streams, tags, sizes and readers, without reading the log."
  static let synopsis = "<store> [--json | --metrics]"
  static let help = """

      --metrics          the numbers in Prometheus' text format, with the lag of views and consumers
    """
  static let grammar = Arguments.Grammar(flags: ["--metrics"], operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool
  let hasMetrics: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    hasMetrics = arguments.has("--metrics")
    if isJSON, hasMetrics { throw UsageError("--metrics and --json exclude each other") }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    if hasMetrics {
      try output.write(Array(EventLog(at: store).prometheusMetrics().utf8))
      return ExitStatus.success
    }
    let info = try EventLog.inspect(store.url)
    if isJSON {
      try output.write(Self.line(info).bytes)
    } else {
      try output.writeLine(Self.text(info))
    }
    return ExitStatus.success
  }

  private static func line(_ info: LogInfo) -> ReportLine {
    var line = ReportLine()
    line.add("log", info.id)
    line.add("format", UInt64(info.format))
    line.add("generation", info.generation)
    line.add(
      "pass",
      info.pass.map { pass in
        var line = ReportLine()
        line.add("generation", pass.generation)
        line.add("version", pass.version)
        return line
      })
    line.add("entries", info.entries)
    line.add("streams", info.streams)
    line.add("tags", info.tags)
    line.add(
      "schemas",
      info.schemas.map { schema in
        var line = ReportLine()
        line.add("version", schema.version)
        line.add("count", schema.count)
        return line
      })
    line.add(
      "kinds",
      info.census.map { kind in
        var line = ReportLine()
        line.add("type", kind.type)
        line.add("version", kind.version)
        if let oldest = kind.oldestReader { line.add("oldestReader", oldest) }
        return line
      })
    if case .window(let count) = info.idempotency { line.add("window", UInt64(clamping: count)) }
    line.add("idempotency", info.idempotency.description)
    line.add("requires", info.requires)
    if let cluster = info.cluster {
      var part = ReportLine()
      part.add("applied", cluster.applied)
      part.add("needsProgram", cluster.needsProgram)
      if let version = cluster.neededVersion { part.add("neededVersion", version) }
      line.add("cluster", part)
    }
    line.add("fileBytes", UInt64(clamping: info.fileSize))
    line.add("usedBytes", UInt64(clamping: info.used))
    line.add("freeBytes", UInt64(clamping: info.free))
    line.add("mapBytes", UInt64(clamping: info.mapSize))
    line.add("tail", info.tailLength)
    if let merging = info.merging { line.add("merging", merging.rawValue) }
    line.add("readers", UInt64(clamping: info.readers))
    line.add(
      "oldestReader",
      info.oldestReader.map { reader in
        var line = ReportLine()
        line.add("process", UInt64(clamping: reader.process))
        line.add("commitsBehind", reader.commitsBehind)
        return line
      })
    return line
  }

  private static func text(_ info: LogInfo) -> String {
    var lines = [
      "log         \(info.id.uuidString.lowercased())",
      "format      \(info.format)",
      "generation  \(info.generation)",
      "entries     \(info.entries)",
      "streams     \(info.streams)",
    ]
    if info.tags > 0 { lines.append("tags        \(info.tags)") }
    if let pass = info.pass {
      let goal = pass.version.map { " to version \($0)" } ?? ""
      lines.insert(
        "pass        a migration pass\(goal) builds generation \(pass.generation), or was cut short: 'migrate' or 'compact' goes on with it, or begins it again if a version was activated or a feature came into use since, and with --restart throws it away",
        at: 3)
    }
    for schema in info.schemas {
      let version = schema.version.map { "version \($0)" } ?? "unversioned"
      lines.append("schema      \(version): \(schema.count) events")
    }
    for kind in info.census {
      guard let version = kind.version, let oldest = kind.oldestReader else { continue }
      let type = PlainText.escaped(kind.type)
      lines.append("kind        '\(type)' of version \(version): read by \(oldest) and later")
    }
    switch info.idempotency {
    case .window(let count): lines.append("id window   \(count) entries a stream")
    case .always: lines.append("event ids   all in an index")
    }
    if !info.requires.isEmpty {
      lines.append("requires    \(info.requires.map(PlainText.escaped).joined(separator: ", "))")
    }
    if let cluster = info.cluster {
      lines.append("cluster     applied up to message \(cluster.applied)")
      if cluster.needsProgram {
        let program = cluster.neededVersion.map { "a program whose plan has version \($0)" }
        lines.append("needs       \(program ?? "a program with a newer version of the library")")
      }
    }
    let merging = info.merging.map { "; heads are being merged up to position \($0)" }
    lines.append("tail        \(info.tailLength) entries\(merging ?? "")")
    lines.append("file        \(info.fileSize) bytes, \(info.used) of them in use, \(info.free) free")
    lines.append("map         \(info.mapSize) bytes")
    let oldest = info.oldestReader.map { reader in
      "; the oldest, of process \(reader.process), is \(reader.commitsBehind) commits behind"
    }
    lines.append("readers     \(info.readers)\(oldest ?? "")")
    return lines.joined(separator: "\n")
  }
}
