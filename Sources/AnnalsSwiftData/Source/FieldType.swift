/// The type that a column's values have in events.
public enum SwiftDataType: String, Codable, Sendable, CaseIterable {
  /// Whole numbers, and the primary key of a row that a to-one relationship refers to.
  case int = "Int"
  case double = "Double"
  case decimal = "Decimal"
  case bool = "Bool"
  case date = "Date"
  case string = "String"
  case uuid = "UUID"
  case data = "Data"
  /// Bytes in a file of the store, for large contents.
  case attachment = "Attachment"
  /// The primary keys of the rows that a many-to-many relationship refers to.
  case references = "[Int]"

  /// The type of an attribute by the framework's number; `nil` for one whose columns decide.
  init?(attribute number: Int) {
    switch number {
    case 100, 200, 300: self = .int
    case 400: self = .decimal
    case 500, 600: self = .double
    case 700, 1200: self = .string
    case 800: self = .bool
    case 900: self = .date
    case 1000, 1800, 2000: self = .data
    case 1100: self = .uuid
    default: return nil
    }
  }

  /// The type of a column by its declaration in the table.
  init(declared text: String) {
    let text = text.uppercased()
    if text == "TIMESTAMP" {
      self = .date
    } else if text.contains("DECIMAL") {
      self = .decimal
    } else if text.contains("INT") {
      self = .int
    } else if text.contains("CHAR") || text.contains("TEXT") || text.contains("CLOB") {
      self = .string
    } else if text.contains("FLOA") || text.contains("REAL") || text.contains("DOUB") {
      self = .double
    } else {
      self = .data
    }
  }

  /// Returns the type of an attribute whose column has a declaration: the model's, unless the column cannot
  /// have its values.
  ///
  /// The framework stores some attributes of Swift types, such as enumerations, in columns of simpler types.
  func fitting(declared text: String) -> SwiftDataType {
    let column = SwiftDataType(declared: text)
    let fits: [SwiftDataType] =
      switch column {
      case .data: [.data, .uuid]
      case .string: [.string, .uuid, .decimal]
      default: [.int, .bool, .double, .decimal, .date]
      }
    return fits.contains(self) ? self : column
  }
}
