import Annals

/// An enum that contains itself, with cases of no, one and two values.
indirect enum Formula: StoredValue {
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
