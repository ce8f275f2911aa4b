import Testing

@Suite struct ValueMacroTests {
  @Test func `an enum gets its shape and its coding`() {
    let expansion = Expansion(
      of: """
        @Value indirect enum Parcel {
          case letter
          @Field("crate") case box(grams: Int, Bool), bag(_ n: Int)
        }
        """.replacing(", bag(_ n: Int)", with: "\n  case bag(_ n: Int)\n  @UnknownCase case `default`"))
    #expect(expansion.messages == [])
    #expect(
      Expansion.lines(of: expansion.text)
        == Expansion.lines(
          of: """
            indirect enum Parcel {
              case letter
              case box(grams: Int, Bool)
              case bag(_ n: Int)
              case `default`
            }

            extension Parcel: Annals.StoredValue {
              static func shape(in types: inout Annals.ShapeTypes) -> Annals.ValueShape {
                types.choice(Self.self) { types in
                  var cases: [Annals.CaseShape] = []
                  cases.append(Annals.CaseShape("letter"))
                  cases.append(Annals.CaseShape("crate", ["grams", "_1"], Self.box(grams:_:), in: &types))
                  cases.append(Annals.CaseShape("bag", ["_0"], Self.bag(_:), in: &types))
                  cases.append(Annals.CaseShape("default", standsForUnknown: true))
                  return cases
                }
              }
              init(from reader: inout Annals.FieldReader) throws(Annals.CodingFailure) {
                switch try reader.choice() {
                case 0:
                  try reader.holds(0)
                  self = .letter
                case 1:
                  try reader.holds(2)
                  self = .box(grams: try reader.field(), try reader.field())
                case 2:
                  try reader.holds(1)
                  self = .bag(try reader.field())
                case 3:
                  try reader.holds(0)
                  self = .default
                default:
                  throw reader.unknownCase()
                }
                reader.leave()
              }
              func encode(into writer: inout Annals.FieldWriter) throws(Annals.CodingFailure) {
                switch self {
                case .letter:
                  try writer.choice(0)
                case .box(grams: let value0, let value1):
                  try writer.choice(1, holding: 2)
                  try writer.field(value0)
                  try writer.field(value1)
                case .bag(let value0):
                  try writer.choice(2, holding: 1)
                  try writer.field(value0)
                case .default:
                  try writer.choice(3)
                }
                writer.leave()
              }
            }
            """))
  }

  @Test func `the cases of an enum of texts are called on disk as their texts`() {
    let text = Expansion(of: "@Value enum A: String { case a = \"x\", b; @Field(\"z\") case c = \"y\" }").text
    for name in ["x", "b", "z"] { #expect(text.contains("Annals.CaseShape(\"\(name)\")")) }
  }

  @Test func `the cases of an enum of numbers are called on disk as in Swift`() {
    let text = Expansion(of: "@Value enum A: Int { case a = 7, b }").text
    for name in ["a", "b"] { #expect(text.contains("Annals.CaseShape(\"\(name)\")")) }
  }

  @Test func `a struct is stored as a record is, without a name`() {
    let text = Expansion(of: "@Value public struct Line { var text: String }").text
    #expect(text.contains("extension Line: Annals.StoredValue {\n  public static func shape"))
    #expect(text.contains("Annals.FieldShape(\"text\", \\Self.text, in: &types)"))
    #expect(text.contains("public init(text: String)"))
    #expect(!text.contains("recordName"))
  }
}
