internal import AnnalsCoding

/// An entry as it is stored, after each stage of a plan, and now, with the changes between the columns.
package struct EntryChain: Sendable, Equatable {
  /// How a field differs from the column before.
  package enum Change: String, Sendable {
    case same
    case added
    case changed
    case removed
  }

  /// A field of an event.
  package struct Field: Sendable, Equatable {
    /// The name, with a dot before that of a nested field.
    package let name: String
    /// The value as JSON; of a removed field the value that it had.
    package let value: String
    package let change: Change

    package init(name: String, value: String, change: Change) {
      self.name = name
      self.value = value
      self.change = change
    }
  }

  /// An event in one column.
  package struct Event: Sendable, Equatable {
    /// The part of a split that it is; empty if no rule split the entry.
    package let path: [UInt32]
    package let type: String
    package let fields: [Field]

    package init(path: [UInt32], type: String, fields: [Field]) {
      self.path = path
      self.type = type
      self.fields = fields
    }
  }

  /// The entry at one version.
  package struct Column: Sendable, Equatable {
    /// The heading, such as `stored` or `2.0.0`.
    package let title: String
    /// What led to the column, a line for each record: how it crossed the stage, or why it failed.
    package let notes: [String]
    package let events: [Event]

    package init(title: String, notes: [String] = [], events: [Event] = []) {
      self.title = title
      self.notes = notes
      self.events = events
    }
  }

  package let position: UInt64
  package let stream: String
  package let revision: UInt64
  package let time: String
  /// The bytes that it takes in the log; `nil` if they are not known.
  package let size: Int?
  /// Stored, after each stage, and now.
  package let columns: [Column]
  /// Why it cannot be read in the current version; `nil` if it can.
  package let failure: String?

  package init(
    position: UInt64, stream: String, revision: UInt64, time: String, size: Int?, columns: [Column],
    failure: String? = nil
  ) {
    self.position = position
    self.stream = stream
    self.revision = revision
    self.time = time
    self.size = size
    self.columns = columns
    self.failure = failure
  }
}

extension EntryChain.Event {
  /// Marks the fields that differ from those of the events that this one came from.
  ///
  /// Fields of the older event that are missing follow at the end. A part of a split is compared with the
  /// event that was split, and lists no missing fields: another part may have them.
  package static func marked(
    path: [UInt32], type: String, _ fields: [(name: String, value: String)],
    after older: [EntryChain.Event]
  ) -> Self {
    let source =
      older.first { $0.path == path }
      ?? older.filter { path.starts(with: $0.path) }.max { left, right in
        left.path.count < right.path.count
      }
    let known = source?.fields.filter { $0.change != .removed }
    var marked = fields.map { field in
      let old = known?.first { ExactText($0.name) == ExactText(field.name) }
      let change: EntryChain.Change =
        if known == nil { .same } else if let old { old.value == field.value ? .same : .changed } else {
          .added
        }
      return EntryChain.Field(name: field.name, value: field.value, change: change)
    }
    if let source, let known, source.path == path {
      for old in known where !fields.contains(where: { ExactText($0.name) == ExactText(old.name) }) {
        marked.append(EntryChain.Field(name: old.name, value: old.value, change: .removed))
      }
    }
    return EntryChain.Event(path: path, type: type, fields: marked)
  }
}
