import SwiftSyntax
import SwiftSyntaxMacros

/// The Swift text that `@Schema` generates for a schema. All of it could be written by hand.
struct SchemaText {
  private let schema: String
  private let access: String
  private let records: [SchemaReading.Record]
  private let numbers: String
  private let stabilityName: String?

  /// Creates the text for a schema.
  init(_ reading: SchemaReading) {
    schema = reading.name
    access = reading.access.prefix
    records = reading.records
    numbers = reading.version.joined(separator: ", ")
    stabilityName = reading.stability
  }

  /// The version of the schema.
  var version: String { "\(access)static let version = Annals.SchemaVersion(\(numbers))" }

  /// The stability of the schema; `nil` if none is written.
  var stability: String? {
    stabilityName.map { "\(access)static var stability: Annals.SchemaStability { .\($0) }" }
  }

  /// Returns the enum of the schema's events.
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
    \(access)var tags: [Annals.EventTag] {
    switch self {
    \(lines { _, name, type in "case .\(name)(let record): \(type).tags(record)" })
    }
    }
    \(access)func encode(into payload: inout [Swift.UInt8]) throws(Annals.CodingFailure) {
    switch self {
    \(lines { _, name, _ in "case .\(name)(let record): try record.encode(into: &payload)" })
    }
    }
    \(access)consuming func send(through steps: Steps, _ origin: Annals.Origin, into buffer: Annals.EventBuffer) throws(Annals.StepFailure) {
    switch consume self {
    \(lines { _, name, _ in "case .\(name)(let record): try steps.\(name).run(record, origin, buffer)" })
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

  /// Returns the function by which the compiler checks that every record is one.
  ///
  /// It is in the extension because errors inside a generated member are not shown, and code generation then
  /// crashes (Swift 6.3).
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

  /// Returns the unchanged records as types that the compiler knows to be records; empty if there is none.
  ///
  /// A type that is no record is reported here, once: the compiler does not check a type with a mistake where
  /// it is used.
  private func carried(in context: some MacroExpansionContext) -> String {
    let records = records.filter(\.isCarried)
    guard !records.isEmpty else { return "" }
    let lines = records.map { record in
      SourceLine(of: record.place, in: context).owning(
        "\(access)typealias \(record.type) = Annals.CarriedRecord<\(schema).\(record.type)>.Itself  // \(Self.remedy)"
      )
    }
    return """
      /// The unchanged records of the schema.
      \(access)enum Carried {
      \(lines.joined(separator: "\n"))
      }

      """
  }

  /// The correction for a typealias to a type that is no record. The compiler shows the line with its
  /// message.
  private static let remedy = "a record, or else move the typealias outside the schema's braces"

  private var listedRecords: String {
    records.map { ".init(\"\($0.caseName.bare)\", \(qualified($0)).self)" }.joined(separator: ",\n")
  }

  /// Returns one line for each record, made from its number, the name of its case and its type.
  private func lines(_ line: (Int, String, String) -> String) -> String {
    records.enumerated().map { line($0, $1.caseName.written, qualified($1)) }.joined(separator: "\n")
  }

  /// Returns the type qualified by its schema, because inside the event a case may have the same name as its
  /// type.
  private func qualified(_ record: SchemaReading.Record) -> String {
    record.isCarried ? "Carried.\(record.type)" : "\(schema).\(record.type)"
  }
}
