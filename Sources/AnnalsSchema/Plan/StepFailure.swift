public import AnnalsCoding

/// The reason why a stored payload could not be converted to events of the newest version.
public enum StepFailure: Error, Sendable {
  /// The payload is not one of the type that it is stored as.
  case undecodable(CodingFailure)
  /// A rule threw.
  case ruleThrew(RuleSite, any Error)
  /// A rule returned more parts than ``RuleSite/partLimit``; the number is the count of the parts.
  case tooManyParts(RuleSite, Int)
  /// A split returned an event of a record that its `into:` does not name; the text is the record's name.
  case unexpectedPart(RuleSite, String)
  /// A fold could not read the entries before the last one of a group.
  case groupUnreadable(RuleSite, AnnalsError)
  /// A fold found a different number of records in a group from when the stage was activated.
  case groupIncomplete(RuleSite, expected: Int, found: Int)
  /// A personal field could not be decrypted, for a reason that is not in the entry.
  case keysUnavailable(AnnalsError)
  /// A rule that names no outputs has made a record that a later rule retains.
  case retainedEvent(RuleSite)
}

/// The place of a rule in a plan.
public struct RuleSite: Hashable, Sendable {
  /// The largest number of parts that one rule may return for one event.
  public static let partLimit = 10_000

  /// The version that the rule upcasts from.
  public let from: SchemaVersion
  /// The version that the rule upcasts to.
  public let to: SchemaVersion
  /// The name of the record that the rule takes.
  public let type: String
}

extension RuleSite: CustomStringConvertible {
  /// The place as text.
  public var description: String { "the rule for '\(type)' in stage \(from) to \(to)" }
}

extension StepFailure: CustomStringConvertible {
  /// The failure as text, with nothing of the payload except in the description of a rule's error.
  public var description: String {
    switch self {
    case .undecodable(let failure): "the payload cannot be decoded: \(failure)"
    case .ruleThrew(let site, let error): "\(site) threw \(error.words)"
    case .tooManyParts(let site, let count):
      "\(site) gave \(count) parts, and \(RuleSite.partLimit) are allowed"
    case .unexpectedPart(let site, let name):
      "\(site) gave an event of '\(name)', which its 'into:' does not name"
    case .groupUnreadable(let site, let error):
      "\(site) could not read the entries that it folds: \(error.code)"
    case .groupIncomplete(let site, let expected, let found):
      "\(site) folds \(expected) events, and \(found) are there: the rules before it must give what they gave when the stage was activated"
    case .keysUnavailable(let error): "a personal field cannot be decrypted: \(error.message)"
    case .retainedEvent(let site):
      "\(site) retains entries as they are stored, and a rule of an earlier stage made this event of another record; name what that rule makes, by 'to:' or 'into:', or write Drop instead of Retain"
    }
  }
}
