import SwiftSyntax
import SwiftSyntaxMacros

/// The Swift text that stores an enum as the number of its case with the values that the case holds.
struct EnumText {
  private let access: String
  private let cases: [CasesReading.Case]

  /// Creates the text for `cases` of an enum with this visibility.
  init(_ cases: [CasesReading.Case], _ access: Access) {
    self.access = access.prefix
    self.cases = cases
  }

  /// Returns the shape of the enum on disk, and the code that reads and writes it.
  ///
  /// Each case with values is a separate statement, so that a type that cannot be stored is reported on its
  /// line.
  func members(in context: some MacroExpansionContext) -> String {
    """
    \(access)static func shape(in types: inout Annals.ShapeTypes) -> Annals.ValueShape {
    types.choice(Self.self) { \(cases.allSatisfy(\.labels.isEmpty) ? "_" : "types") in
    \(shapes(in: context))
    }
    }
    \(access)init(from reader: inout Annals.FieldReader) throws(Annals.CodingFailure) {
    switch try reader.choice() {
    \(cases.enumerated().map(decoding).joined(separator: "\n"))
    default: throw reader.unknownCase()
    }
    reader.leave()
    }
    \(access)func encode(into writer: inout Annals.FieldWriter) throws(Annals.CodingFailure) {
    switch self {
    \(cases.enumerated().map(encoding).joined(separator: "\n"))
    }
    writer.leave()
    }
    """
  }

  private func shapes(in context: some MacroExpansionContext) -> String {
    guard !cases.allSatisfy(\.labels.isEmpty) else {
      return "[\n\(cases.map(shape(of:)).joined(separator: ",\n"))\n]"
    }
    let lines = cases.map { one in
      let line = "cases.append(\(shape(of: one)))"
      return one.labels.isEmpty ? line : SourceLine(of: one.place, in: context).owning(line)
    }
    return """
      var cases: [Annals.CaseShape] = []
      \(lines.joined(separator: "\n"))
      return cases
      """
  }

  private func shape(of one: CasesReading.Case) -> String {
    guard !one.labels.isEmpty else {
      return "Annals.CaseShape(\(one.name.literal)\(one.standsForUnknown ? ", standsForUnknown: true" : ""))"
    }
    let labels = one.labels.enumerated().map { DiskName(text: $1.map(bare) ?? "_\($0)") }
    let full = one.labels.map { "\($0 ?? "_"):" }.joined()
    return "Annals.CaseShape(\(one.name.literal), \(labels.literal), Self.\(one.member)(\(full)), in: &types)"
  }

  private func decoding(_ number: Int, _ one: CasesReading.Case) -> String {
    let values = one.labels.map { "\(label($0))try reader.field()" }.joined(separator: ", ")
    return """
      case \(number):
      try reader.holds(\(one.labels.count))
      self = .\(one.member)\(values.isEmpty ? "" : "(\(values))")
      """
  }

  private func encoding(_ number: Int, _ one: CasesReading.Case) -> String {
    let values = one.labels.enumerated().map { "\(label($1))let value\($0)" }.joined(separator: ", ")
    let holding = one.labels.isEmpty ? "" : ", holding: \(one.labels.count)"
    let lines =
      ["try writer.choice(\(number)\(holding))"] + one.labels.indices.map { "try writer.field(value\($0))" }
    return """
      case .\(one.member)\(values.isEmpty ? "" : "(\(values))"):
      \(lines.joined(separator: "\n"))
      """
  }

  private func label(_ label: String?) -> String { label.map { "\($0): " } ?? "" }

  private func bare(_ label: String) -> String { label.filter { $0 != "`" } }
}
