public import AnnalsCoding
public import AnnalsSchema

/// What an entry is as it is stored, what each stage of a plan makes of it, and what it is now: what an auditor asks for.
public struct EntryExplanation: Sendable {
  /// What a payload is marked with.
  public struct Kind: Hashable, Sendable {
    /// The store's number for the kind.
    public let number: UInt32
    /// The record's name.
    public let type: String
    /// The schema version; `nil` for what was stored without one.
    public let version: SchemaVersion?
    /// The text of the shape that the payload has; `nil` for one that is stored by name.
    public let shape: String?
    /// The fields of that shape.
    var fields: [FieldShape]?
  }

  /// Why nothing of an entry is delivered any more.
  public struct Removal: Hashable, Sendable {
    /// What removed it: `rule`, `fold`, `erased`, `quarantined` or `moved`. What is in quarantine still has its payload.
    public let cause: String
    /// The stage that did, by its older version; `nil` where none did.
    public let from: SchemaVersion?
    /// The stage that did, by its newer version; `nil` where none did.
    public let to: SchemaVersion?
    /// The reason that was given.
    public let reason: String
  }

  /// An event that the entry is at some version.
  public struct Event: Hashable, Sendable {
    /// Which part of a split it is; empty where no rule split the entry.
    public let path: [UInt32]
    /// The record's name.
    public let type: String
    /// Its fields, by name.
    public let data: Payload
    /// The fields of its record's shape; `nil` for one that is stored by name.
    var fields: [FieldShape]?

    /// Its fields for people: dates as texts of ISO 8601 and UUIDs as texts, where the record has a shape that says so.
    public var readable: Payload { data.readable(as: fields) }
  }

  /// What took an event across a stage.
  public struct Crossing: Sendable {
    /// The path of the event before the stage.
    public let path: [UInt32]
    /// What becomes of its record: carried, read in its new shape with what changed, or given to a rule.
    public let fate: PlanCheck.RecordFate
  }

  /// What one stage made of the entry.
  public struct Step: Sendable {
    /// The older version.
    public let from: SchemaVersion
    /// The newer version.
    public let to: SchemaVersion
    /// What took each event of the older version.
    public let crossings: [Crossing]
    /// What the entry is behind the stage; nothing where a rule dropped it, and where the stage failed.
    public let events: [Event]
  }

  /// The entry as it is stored, with payloads by name.
  public let entry: LogEntry
  /// How many bytes of the log it takes.
  public let size: Int
  /// The kind of its payload or of each of its parts; of an entry that was removed the one that it had.
  public let kinds: [Kind]
  /// Why nothing of it is delivered; `nil` for an entry that is there.
  public let removal: Removal?
  /// The oldest version of the plan that reads it: its own, or the one that entries without a version are taken for, or the plan's current one for an entry of a
  /// newer version. `nil` where nothing of it is delivered.
  public let version: SchemaVersion?
  /// What it is at that version.
  public let events: [Event]
  /// The stages from there to the current version, oldest first; where one fails, it is the last.
  public let steps: [Step]
  /// Why it cannot be read at the current version, or at the version of the last step where a later stage
  /// retains it; `nil` where neither is so.
  public let failure: AnnalsError?

  /// What it is now.
  public var now: [Event] { failure == nil ? steps.last?.events ?? events : [] }
}
