public import AnnalsCoding
public import AnnalsSchema
internal import AnnalsShapes

/// An entry as it is stored, the result of each stage of a plan, and its current events. It is meant for
/// audits.
public struct EntryExplanation: Sendable {
  /// The kind that a payload is marked with.
  public struct Kind: Hashable, Sendable {
    /// The store's number for the kind.
    public let number: UInt32
    /// The record's name.
    public let type: String
    /// The schema version; `nil` for events stored without one.
    public let version: SchemaVersion?
    /// The text of the shape that the payload has; `nil` for one that is stored by name.
    public let shape: String?
    /// The fields of that shape.
    var fields: [FieldShape]?
  }

  /// Why nothing of an entry is delivered any longer.
  public struct Removal: Hashable, Sendable {
    /// The cause of the removal, such as `rule`, `fold`, `erased`, `truncated` or `quarantined`; `system` for
    /// a system entry, which never had an event. A quarantined entry still has its payload.
    public let cause: String
    /// The older version of the stage that removed it; `nil` if no stage did.
    public let from: SchemaVersion?
    /// The newer version of the stage that removed it; `nil` if no stage did.
    public let to: SchemaVersion?
    /// The reason that was given.
    public let reason: String
    /// Who made the change of the log that a system entry records, in the caller's words; `nil` for every
    /// other entry.
    public internal(set) var author: String?
  }

  /// An event of the entry at some version.
  public struct Event: Hashable, Sendable {
    /// The path of the event in a split; empty if no rule split the entry.
    public let path: [UInt32]
    /// The record's name.
    public let type: String
    /// Its fields, by name.
    public let data: Payload
    /// The fields of its record's shape; `nil` for one that is stored by name.
    var fields: [FieldShape]?

    /// Its fields for people: dates as ISO 8601 texts and UUIDs as texts, if the record's shape has them.
    public var readable: Payload { data.readable(as: fields) }
  }

  /// How an event crosses a stage.
  public struct Crossing: Sendable {
    /// The path of the event before the stage.
    public let path: [UInt32]
    /// The fate of its record: unchanged, read in its new shape with these changes, or passed to a rule.
    public let fate: PlanCheck.RecordFate
  }

  /// The result of one stage for the entry.
  public struct Step: Sendable {
    /// The older version.
    public let from: SchemaVersion
    /// The newer version.
    public let to: SchemaVersion
    /// How each event of the older version crosses the stage.
    public let crossings: [Crossing]
    /// The events of the entry after the stage; empty if a rule dropped it, and if the stage failed.
    public let events: [Event]
  }

  /// The entry as it is stored, with payloads by name.
  public let entry: LogEntry
  /// The number of bytes that it takes in the log.
  public let size: Int
  /// The kind of its payload or of each of its parts; for a removed entry, the kind that it had. A system
  /// entry has none.
  public let kinds: [Kind]
  /// Its tags, each with its place among the entries that have the tag.
  public let tags: [Tag]
  /// The tags that a migration pass would give it, or why the pass would stop at it; `nil` if no stage
  /// computes its tags again.
  public let retagged: Result<[EventTag], AnnalsError>?
  /// Why nothing of it is delivered; `nil` for an entry that was not removed.
  public let removal: Removal?
  /// The oldest version of the plan that reads it: its own, the adopted one for an entry without a version,
  /// or the plan's current one for an entry of a newer version. It is `nil` if nothing of the entry is
  /// delivered.
  public let version: SchemaVersion?
  /// Its events at that version.
  public let events: [Event]
  /// The stages from there to the current version, oldest first. A stage that fails is the last.
  public let steps: [Step]
  /// Why it cannot be read at the current version, or at the version of the last step if a later stage
  /// retains it; `nil` if it can be read.
  public let failure: AnnalsError?

  /// Its current events.
  public var now: [Event] { failure == nil ? steps.last?.events ?? events : [] }
}
