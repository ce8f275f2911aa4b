/// A record of six fields.
struct SetLogged: ShapedRecord, Equatable {
  var title: String
  var reps: Int
  var sets: Int
  var weight: Double
  var notes: String?
  var at: Double

  static let sample = SetLogged(
    title: "Bench press", reps: 8, sets: 3, weight: 82.5, notes: "felt good", at: 1732147200.123)
}

extension SetLogged {
  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { types in
      [
        FieldShape("title", \Self.title, in: &types), FieldShape("reps", \Self.reps, in: &types),
        FieldShape("sets", \Self.sets, in: &types), FieldShape("weight", \Self.weight, in: &types),
        FieldShape("notes", \Self.notes, in: &types), FieldShape("at", \Self.at, in: &types),
      ]
    }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(6)
    title = try reader.field()
    reps = try reader.field()
    sets = try reader.field()
    weight = try reader.field()
    notes = try reader.field()
    at = try reader.field()
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(6)
    try writer.field(title)
    try writer.field(reps)
    try writer.field(sets)
    try writer.field(weight)
    try writer.field(notes)
    try writer.field(at)
    writer.leave()
  }
}

/// An enum that contains itself, with cases of no, one and two values.
indirect enum Formula: StoredValue, Equatable {
  case nothing
  case number(Double)
  case sum(Formula, Formula)

  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.choice(Self.self) { types in
      [
        CaseShape("nothing"), CaseShape("number", ["_0"], Formula.number, in: &types),
        CaseShape("sum", ["_0", "_1"], Formula.sum, in: &types),
      ]
    }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    switch try reader.choice() {
    case 0:
      try reader.holds(0)
      self = .nothing
    case 1:
      try reader.holds(1)
      self = .number(try reader.field())
    case 2:
      try reader.holds(2)
      self = .sum(try reader.field(), try reader.field())
    default: throw reader.unknownCase()
    }
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    switch self {
    case .nothing: try writer.choice(0)
    case .number(let number):
      try writer.choice(1, holding: 1)
      try writer.field(number)
    case .sum(let left, let right):
      try writer.choice(2, holding: 2)
      try writer.field(left)
      try writer.field(right)
    }
    writer.leave()
  }
}

/// A struct that contains itself.
struct Folder: StoredValue, Equatable {
  var name: String
  var folders: [Folder]

  init(_ name: String, _ folders: [Folder] = []) {
    self.name = name
    self.folders = folders
  }

  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { types in
      [FieldShape("name", \Self.name, in: &types), FieldShape("folders", \Self.folders, in: &types)]
    }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(2)
    name = try reader.field()
    folders = try reader.field()
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(2)
    try writer.field(name)
    try writer.field(folders)
    writer.leave()
  }
}

/// A record without fields.
struct Tick: StoredValue, Hashable {
  static func shape(in types: inout ShapeTypes) -> ValueShape { types.record(Self.self) { _ in [] } }

  init() {}

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(0)
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(0)
    writer.leave()
  }
}
