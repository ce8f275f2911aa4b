import SwiftSyntax
import SwiftSyntaxMacros

/// The Swift text that `@Schema` writes for a schema; all of it can be written by hand.
struct SchemaText {
  private let schema: String
  private let access: String
  private let records: [SchemaReading.Record]
  private let numbers: String
  private let stabilityName: String?

  /// The text for what `reading` found.
  init(_ reading: SchemaReading) {
    schema = reading.name
    access = reading.access.prefix
    records = reading.records
    numbers = reading.version.joined(separator: ", ")
    stabilityName = reading.stability
  }

  /// The version of the schema.
  var version: String { "\(access)static let version = Annals.SchemaVersion(\(numbers))" }

  /// Whether the schema may still change; `nil` where that is not said.
  var stability: String? {
    stabilityName.map { "\(access)static var stability: Annals.SchemaStability { .\($0) }" }
  }

  /// The enum of the schema's events.
  func event(in context: some MacroExpansionContext) -> String {
    """
    /// An event of this schema: one case for each of its records.
    \(access)enum Event: Annals.SchemaEvent {
    \(carried(in: context))\(lines { _, name, type in "case \(name)(\(type))" })
    \(access)static var records: [Annals.SchemaRecord] {
    [
    \(listedRecords)
    ]
    }
    \(access)var caseIndex: Swift.Int {
    switch self {
    \(lines { index, name, _ in "case .\(name): \(index)" })
    }
    }
    \(access)func encode(into payload: inout [Swift.UInt8]) throws(Annals.CodingFailure) {
    switch self {
    \(lines { _, name, _ in "case .\(name)(let record): try record.encode(into: &payload)" })
    }
    }
    \(access)consuming func send(through steps: Steps, _ origin: Annals.Origin, into sink: Annals.Sink) throws(Annals.StepFailure) {
    switch consume self {
    \(lines { _, name, _ in "case .\(name)(let record): try steps.\(name).run(record, origin, sink)" })
    }
    }
    /// What happens next to each record.
    \(access)struct Steps: Swift.Sendable {
    \(lines { _, name, type in "let \(name): Annals.RecordStep<\(type)>" })
    init(_ source: inout some Annals.StepSource<Event>) throws(Annals.AnnalsError) {
    let cases = Cases()
    \(lines { _, name, _ in "self.\(name) = try cases.\(name).step(from: &source)" })
    }
    }
    \(access)static func steps(from source: inout some Annals.StepSource<Event>) throws(Annals.AnnalsError) -> Steps {
    try Steps(&source)
    }
    /// The records by name, for rules.
    \(access)struct Cases: Swift.Sendable {
    \(lines { index, name, type in
      "\(access)var \(name): Annals.RecordCase<Event, \(type)> { .init(\(index), step: { $0.\(name) }) { Event.\(name)($0) } }"
    })
    }
    \(access)static var cases: Cases { Cases() }
    }
    """
  }

  /// The function by which the compiler checks that every record is one.
  ///
  /// It stands in the extension because errors inside a member that a macro writes are not shown, and code
  /// generation then crashes (Swift 6.3).
  func check(in context: some MacroExpansionContext) -> String {
    """
    private static func carries() {
    \(records.map { SourceLine(of: $0.place, in: context).owning(check($0)) }.joined(separator: "\n"))
    }
    """
  }

  private func check(_ record: SchemaReading.Record) -> String {
    record.isCarried
      ? "_ = Event.Carried.\(record.type).self"
      : "_ = Annals.CarriedRecord<\(record.type)>.self"
  }

  /// The carried records as types that the compiler knows to be records; empty where there is none.
  ///
  /// What is no record is found here, once: a type with a mistake in it is not looked at where it is used.
  private func carried(in context: some MacroExpansionContext) -> String {
    let records = records.filter(\.isCarried)
    guard !records.isEmpty else { return "" }
    let lines = records.map { record in
      SourceLine(of: record.place, in: context).owning(
        "\(access)typealias \(record.type) = Annals.CarriedRecord<\(schema).\(record.type)>.Itself  // \(Self.remedy)"
      )
    }
    return """
      /// The records that the schema carries.
      \(access)enum Carried {
      \(lines.joined(separator: "\n"))
      }

      """
  }

  /// What to do about a typealias to what is no record. The compiler shows the line with its message.
  private static let remedy = "a record, or else move the typealias outside the schema's braces"

  private var listedRecords: String {
    records.map { ".init(\"\($0.caseName.bare)\", \(qualified($0)).self)" }.joined(separator: ",\n")
  }

  /// One line for each record from its number, the name of its case and its type.
  private func lines(_ line: (Int, String, String) -> String) -> String {
    records.enumerated().map { line($0, $1.caseName.written, qualified($1)) }.joined(separator: "\n")
  }

  /// The type named through its schema: inside the event, a case may have the very name of its type.
  private func qualified(_ record: SchemaReading.Record) -> String {
    record.isCarried ? "Carried.\(record.type)" : "\(schema).\(record.type)"
  }
}
