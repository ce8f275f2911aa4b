/// The path of keys to a value; each key refers to the one before it.
///
/// Containers are created far more often than errors. So a step costs one allocation, and names are only read
/// when something fails.
package final class CodingPath: Sendable {
  /// A step: a key of the type's own, or an index.
  package enum Step: Sendable {
    case key(String)
    case index(Int)
  }
  private let step: Step
  private let parent: CodingPath?

  /// Creates the path with `step` after `parent`.
  init(_ step: Step, in parent: CodingPath?) {
    self.step = step
    self.parent = parent
  }

  /// Returns the names of the keys from the outside in.
  static func keys(_ path: CodingPath?) -> [String] {
    codingKeys(path).map(\.stringValue)
  }

  /// Returns the keys from the outside in, in the form that `Codable` uses.
  static func codingKeys(_ path: CodingPath?) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var next = path
    while let path = next {
      switch path.step {
      case .key(let name): keys.append(NamedKey(stringValue: name))
      case .index(let index): keys.append(NamedKey(intValue: index))
      }
      next = path.parent
    }
    return keys.reversed()
  }
}

/// A key with any name or index.
struct NamedKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    self.intValue = nil
  }

  init(intValue: Int) {
    self.stringValue = String(intValue)
    self.intValue = intValue
  }
}

extension CodingFailure {
  /// Creates the failure for `error`, thrown by the code of a type at `path`, without the values that its
  /// text may have.
  init(wrapping error: any Error, at offset: Int, path: CodingPath?) {
    func keys(_ context: [any CodingKey], _ more: (any CodingKey)? = nil) -> [String] {
      (context + (more.map { [$0] } ?? [])).map(\.stringValue)
    }
    switch error {
    case let failure as CodingFailure:
      self = failure
    case DecodingError.typeMismatch(let type, let context):
      self.init(.wrongType, at: offset, path: keys(context.codingPath), detail: "\(type) wanted")
    case DecodingError.valueNotFound(let type, let context):
      self.init(.wrongType, at: offset, path: keys(context.codingPath), detail: "\(type) wanted")
    case DecodingError.keyNotFound(let key, let context):
      self.init(.missingKey, at: offset, path: keys(context.codingPath, key))
    case DecodingError.dataCorrupted(let context):
      self.init(.refused, at: offset, path: keys(context.codingPath))
    case EncodingError.invalidValue(_, let context):
      self.init(.refused, at: offset, path: keys(context.codingPath))
    default:
      self.init(.refused, at: offset, path: CodingPath.keys(path), detail: "\(type(of: error)) thrown")
    }
  }
}
