import SwiftSyntax

/// The visibility of a declaration, from the least to the most visible.
enum Access: Int, Comparable {
  /// `private` and `fileprivate`, which are equivalent for a file's own schemas.
  case file
  case module
  case package
  case everyone

  static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

  /// The modifiers for the members of a declaration with this visibility, up to the name that follows.
  var prefix: String {
    switch self {
    case .file, .module: ""
    case .package: "package "
    case .everyone: "public "
    }
  }
}

extension DeclModifierListSyntax {
  /// The visibility written before a declaration; without one, that of its module.
  var access: Access {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return .everyone
      case .keyword(.package): return .package
      case .keyword(.fileprivate), .keyword(.private): return .file
      default: continue
      }
    }
    return .module
  }
}
