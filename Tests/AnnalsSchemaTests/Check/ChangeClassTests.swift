import Testing

/// The rows of the table of changes, as the report prints them.
@Suite struct ChangeClassTests {
  private let stage = PlanCheck(of: RowsPlan.self).stages[0]

  /// The lines of the record called `name`.
  private func lines(_ name: String) throws -> [String] {
    let fate = try #require(stage.records.first { $0.name == name })
    return fate.description.split(separator: "\n").map(String.init)
  }

  /// The first line of a record that is read in its new shape.
  private func read(_ name: String, _ lines: String...) -> [String] {
    ["~ \(name)  read in its new shape"] + lines.map { "    \($0)" }
  }

  /// The first line of a record that a rule makes.
  private func ruled(_ name: String, _ lines: String...) -> [String] {
    ["~ \(name)  Upcast to \(name)  (custom; new reads old: the rule; old reads new: needs a downcast)"]
      + lines.map { "    \($0)" }
  }

  @Test func `the plan of all rows is sound`() {
    #expect(PlanCheck(of: RowsPlan.self).errors == [])
  }

  @Test func `an added optional field is lightweight`() throws {
    let lines = try lines("AddsOptional")
    #expect(
      lines
        == read(
          "AddsOptional", "+ note: text?  (lightweight; nil in older events; old reads new: ignored)", "= a"))
  }

  @Test func `another order is lightweight`() throws {
    let lines = try lines("Reorders")
    #expect(
      lines
        == read(
          "Reorders",
          "~ the record: another order  (lightweight; new reads old: as is; old reads new: as is)", "= a, b"))
  }

  @Test func `an added field with a constant of the stage is lightweight, and the constant is said`() throws {
    let lines = try lines("AddsConstant")
    #expect(
      lines
        == read(
          "AddsConstant",
          "+ unit: text = \"kg\"  (lightweight; new reads old: \"kg\"; old reads new: ignored)", "= a"))
  }

  @Test func `an added required field is custom`() throws {
    let lines = try lines("AddsRequired")
    #expect(
      lines
        == ruled(
          "AddsRequired", "+ unit: text  (custom; new reads old: the rule; old reads new: ignored)", "= a"))
  }

  @Test func `a removed optional field is lightweight`() throws {
    let lines = try lines("RemovesOptional")
    #expect(
      lines
        == read(
          "RemovesOptional", "- note: text?  (lightweight; new reads old: ignored; old reads new: nil)", "= a"
        ))
  }

  @Test func `a removed required field is lightweight and breaks older programs`() throws {
    let lines = try lines("RemovesRequired")
    #expect(
      lines
        == read(
          "RemovesRequired",
          "- sets: int64  (lightweight; new reads old: ignored; old reads new: needs a downcast)", "= a"))
    let fate = try #require(stage.records.first { $0.name == "RemovesRequired" })
    #expect(fate.fields.map(\.isForwardBreaking) == [true])
  }

  @Test func `a renamed field is lightweight and mapped back for older programs`() throws {
    let lines = try lines("Renames")
    #expect(
      lines
        == read(
          "Renames",
          "~ weight -> kilograms: double  (lightweight; new reads old: mapped; old reads new: mapped back)"))
  }

  @Test func `a field that becomes optional is lightweight, and breaks older programs once nil is written`()
    throws
  {
    let lines = try lines("BecomesOptional")
    #expect(
      lines
        == read(
          "BecomesOptional",
          "~ a: int64 -> int64?  (lightweight; new reads old: as is; old reads new: as is until nil is written, then an error or a downcast)"
        ))
  }

  @Test func `a field that becomes required is custom`() throws {
    let lines = try lines("BecomesRequired")
    #expect(
      lines
        == ruled(
          "BecomesRequired",
          "~ a: int64? -> int64  (custom; new reads old: the rule; old reads new: as is)"))
  }

  @Test func `a widened field is lightweight`() throws {
    let lines = try lines("Widens")
    #expect(
      lines
        == read(
          "Widens",
          "~ a: int32 -> int64  (lightweight; new reads old: widened; old reads new: narrowed if it fits, else an error)"
        ))
  }

  @Test func `a narrowed field is custom`() throws {
    let lines = try lines("Narrows")
    #expect(
      lines
        == ruled(
          "Narrows",
          "~ a: int64 -> int32  (custom; new reads old: the rule; old reads new: needs a downcast)"))
  }

  @Test func `an added case is lightweight, and an error for older programs without a case for unknown ones`()
    throws
  {
    let lines = try lines("AddsCase")
    #expect(
      lines
        == read(
          "AddsCase",
          "+ state: case done  (lightweight; new reads old: as is; old reads new: an error at each such value)"
        ))
  }

  @Test func `an added case is the unknown one of older programs that have one`() throws {
    let lines = try lines("AddsUnknownCase")
    #expect(
      lines
        == read(
          "AddsUnknownCase",
          "+ state: case done  (lightweight; new reads old: as is; old reads new: the unknown case)"))
  }

  @Test func `a removed case is custom`() throws {
    let lines = try lines("RemovesCase")
    #expect(
      lines
        == ruled(
          "RemovesCase",
          "- state: case closed  (custom; new reads old: the rule; old reads new: needs a downcast)"))
  }

  @Test func `a value that becomes an array is lightweight`() throws {
    let lines = try lines("Wraps")
    #expect(
      lines
        == read(
          "Wraps",
          "~ tags: text -> [text]  (lightweight; new reads old: mapped; old reads new: the one element, else an error)"
        ))
  }

  @Test func `fields that move into a record are lightweight`() throws {
    let lines = try lines("Plunges")
    #expect(
      lines
        == read(
          "Plunges",
          "~ place: (city: text), made of fields next to it  (lightweight; new reads old: mapped; old reads new: needs a downcast)",
          "= city"))
  }

  @Test func `a field that moves out of a record is lightweight`() throws {
    let lines = try lines("Hoists")
    #expect(
      lines
        == read(
          "Hoists",
          "~ place.city: text -> city: text  (lightweight; new reads old: mapped; old reads new: needs a downcast)",
          "= place"))
  }

  @Test func `an array that becomes a value is custom, and wrapped for older programs`() throws {
    let lines = try lines("Chooses")
    #expect(
      lines
        == ruled(
          "Chooses", "~ a: [int64] -> int64  (custom; new reads old: the rule; old reads new: wrapped)"))
  }

  @Test func `an added record is lightweight`() throws {
    let lines = try lines("Added")
    #expect(
      lines == ["+ Added  new  (lightweight; new reads old: none stored; old reads new: an unknown type)"])
  }

  @Test func `a renamed record is lightweight`() throws {
    let lines = try lines("CalledThis")
    #expect(
      lines == [
        "~ CalledThis -> CalledThat  under another name  (lightweight; new reads old: an alias; old reads new: an unknown type)"
      ])
  }

  @Test func `a removed record is dropped by a rule, with its reason`() throws {
    let lines = try lines("Removed")
    #expect(lines == ["- Removed  Drop, noise  (custom; new reads old: dropped, counted; old reads new: -)"])
  }

  @Test func `a record that becomes several is custom`() throws {
    let lines = try lines("Splits")
    #expect(
      lines == [
        "~ Splits  Split into Part  (custom; new reads old: the rule; old reads new: needs a downcast, rarely possible)"
      ])
  }

  @Test func `a record that rules make is new`() throws {
    let lines = try lines("Part")
    #expect(
      lines == ["+ Part  new  (lightweight; new reads old: what rules make; old reads new: an unknown type)"])
  }

  @Test func `a stage looks at one record at a time`() {
    #expect(stage.scope == .record)
  }
}
