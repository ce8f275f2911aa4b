internal import AnnalsCoding

/// A reason why a plan is invalid, found when it is compiled.
package enum PlanProblem: Equatable {
  /// A schema with its version, as messages name it.
  package struct Schema: Equatable {
    let name: String
    let version: SchemaVersion
  }
  /// A record with its name on disk, its case and its Swift type.
  package struct Record: Equatable {
    let name: String
    let caseName: String
    let typeName: String
  }

  /// The version of a schema is not higher than that of the schema before it.
  case notRising(Schema, after: Schema)
  /// The name of a record cannot be stored.
  case invalidName(Record, in: Schema, fault: String)
  /// Two records of a schema have the same name.
  case sameName(Record, Record, in: Schema)
  /// A stage has more than one rule for a record.
  case twoRules(Record, from: Schema, to: Schema)
  /// A rule takes or makes a record that the schema does not have.
  case noRecord(Schema, from: Schema, to: Schema)
  /// The next version has no record of this name and no rule takes it; perhaps it is one of the new ones.
  case forgotten(Record, from: Schema, to: Schema, maybe: [Record] = [])
  /// The next version has another Swift type of this name, and no rule takes it.
  case redeclared(Record, from: Schema, to: Schema)
  /// The next version has a type of this name, but reading the record in its shape needs a rule.
  case incompatible(Record, from: Schema, to: Schema, changes: [String])
  /// A rule keeps fields of a record that cannot be kept.
  case notKept(Record, from: Schema, to: Schema, changes: [String])
  /// A record declares a former name that another record of its version has, or also declares.
  case formerName(Record, Record, name: String, from: Schema, to: Schema)
  /// A shape cannot be stored.
  case shape(Record, in: Schema, problem: String)
  /// A schema is a draft and another one follows it.
  case oldDraft(Schema)
  /// A stage's declaration about a field names no field, or has a value that cannot be stored.
  case noField(String, Record, from: Schema, to: Schema)
  /// A stage's declaration about a field has no effect, because a rule takes the record or the record is
  /// unchanged.
  case idle(String, Record, from: Schema, to: Schema)
  /// The next version uses the type of a version before this one, which redefined it, and no rule takes it.
  case skips(Record, from: Schema, to: Schema, carried: Schema)
  /// Programs of the version before a bridge can neither read a record nor get it in a form of theirs.
  case unbridged(Record, in: Schema, from: Schema, changes: [String])
  /// Personal values of a bridge's record would be stored in the clear, or with another person's key.
  case bridgedInTheClear(Record, in: Schema, from: Schema, fields: [String], isDowncast: Bool)
  /// The stage to a bridge computes something from the whole log.
  case bridgeAtOnePosition(Schema, from: Schema)
  /// A stage has more than one downcast for a record.
  case twoDowncasts(Record, from: Schema, to: Schema)
  /// A downcast leads to a record that its own stage drops.
  case droppedDowncast(Record, into: Record, from: Schema, to: Schema)
  /// A stage that leads to no bridge has a downcast.
  case idleDowncast(Record, from: Schema, to: Schema)
  /// A stage has more than one rule for streams.
  case twoStreams(from: Schema, to: Schema)
  /// A stage moves entries to other streams and also folds them.
  case foldedStreams(from: Schema, to: Schema)
  /// A rule makes records that a later stage retains from records that it does not retain, or folds them.
  case partlyRetained(Record, as: Record, from: Schema, to: Schema, after: Schema)
  /// A field has a name that is reserved.
  case reused(Record, in: Schema, change: String)
  /// A stage has more than one rule that computes the tags of a record again.
  case twoRetags(Record, from: Schema, to: Schema)
  /// A rule computes the tags that the fields of a record declare, and none declares any.
  case untagged(Record, from: Schema, to: Schema)
  /// A rule computes tags with a name that no tag can have.
  case tagName(Record, from: Schema, to: Schema, fault: String)
  /// A rule computes the tags of a record that no older record becomes.
  case idleRetag(Record, from: Schema, to: Schema)
}

extension PlanProblem.Schema: CustomStringConvertible {
  package init(_ schema: SchemaOutline) {
    self.init(name: schema.name, version: schema.version)
  }

  /// Name and version.
  package var description: String { "\(name) (\(version))" }
}

extension PlanProblem.Record {
  init(_ record: RecordOutline) {
    self.init(name: record.name.text, caseName: record.caseName, typeName: record.typeName)
  }
}

extension PlanProblem: CustomStringConvertible {
  /// The problem as text, with the replacement to write.
  package var description: String {
    switch self {
    case .notRising(let schema, let before):
      "the version of \(schema) is not above that of \(before), the schema before it: give \(schema.name) a higher version"
    case .invalidName(let record, let schema, let fault):
      "the name of record \(record.typeName) of \(schema) cannot be stored, for \(fault): return a name of 1 to \(NameRule.maximum) bytes without NUL from its recordName"
    case .sameName(let first, let second, let schema):
      "\(schema) has two records named '\(first.name)', \\.\(first.caseName) and \\.\(second.caseName): return another recordName from one of them"
    case .twoRules(let record, let from, let to):
      "the stage from \(from) to \(to) has more than one rule for '\(record.name)': keep one rule for \\.\(record.caseName)"
    case .noRecord(let schema, let from, let to):
      "a rule of the stage from \(from) to \(to) names what is no record of \(schema): name records by the properties of \(schema.name).Event.Cases alone"
    case .forgotten(let record, let from, let to, let heirs):
      "record '\(record.name)' of \(from) is not in \(to), and no rule takes it: write Drop(\\.\(record.caseName), reason: …), Retain(\\.\(record.caseName)), Upcast(\\.\(record.caseName), to: …) or Split(\\.\(record.caseName), into: …) in the stage, or carry it with typealias \(record.typeName) = \(from.name).\(record.typeName)\(heirs.map { "; if '\($0.name)' is the same record under another name, write @Record(formerly: [\"\(record.name)\"]) at it" }.joined())"
    case .redeclared(let record, let from, let to):
      "record '\(record.name)' of \(from) is declared again in \(to), and no rule takes it: write Upcast(\\.\(record.caseName), to: \\.\(record.caseName)) { old, origin in … } in the stage, or carry it with typealias \(record.typeName) = \(from.name).\(record.typeName)"
    case .incompatible(let record, let from, let to, let changes):
      "record '\(record.name)' of \(from) cannot be read in the shape that it has in \(to) without a rule, for which write Upcast(\\.\(record.caseName), to: …) { old, origin in … }:\(changes.map { "\n  - \($0)" }.joined())"
    case .notKept(let record, let from, let to, let changes):
      "the stage from \(from) to \(to) has a Keep for '\(record.name)', and not every field that it does not compute can be kept: name the field after 'changing:', or write Upcast(\\.\(record.caseName), to: …) { old, origin in … } in its place:\(changes.map { "\n  - \($0)" }.joined())"
    case .formerName(let record, let other, let name, let from, let to):
      "record '\(record.name)' of \(to) says that it was '\(name)' in \(from), and \\.\(other.caseName) is read from it too: take the name out of one of them, or write a rule for it in the stage"
    case .shape(let record, let schema, let problem):
      "record '\(record.name)' of \(schema) cannot be stored by its shape: \(problem)"
    case .oldDraft(let schema):
      "\(schema) is a draft, and only the newest schema may be one: release it, by leaving out .draft"
    case .noField(let word, let record, let from, let to):
      "\(word) in the stage from \(from) to \(to) names no stored field of '\(record.name)', or a value that cannot be stored: name a property of \(record.typeName) of \(to.name)\(word == "Default" ? ", or with Default(\\.\(record.caseName), at: \\.…, …) the names on disk on the way to one inside an optional, an array, a dictionary or an enum" : "")"
    case .idle(let word, let record, let from, let to):
      "\(word) in the stage from \(from) to \(to) speaks of '\(record.name)', which is carried unchanged, new, or made by a rule: take it out, or let the rule give the value"
    case .skips(let record, let from, let to, let carried):
      "\(to) carries record '\(record.name)' of \(carried), which \(from) has declared again: write typealias \(record.typeName) = \(from.name).\(record.typeName) in \(to.name), or Upcast(\\.\(record.caseName), to: \\.\(record.caseName)) { old, origin in … } in the stage"
    case .unbridged(let record, let schema, let from, let changes):
      "record '\(record.name)' of \(schema), which is a bridge, reaches no program of \(from): write Downcast(\\.\(record.caseName), to: …) { new in … } in the stage, or give it a shape that \(from.name) can read:\(changes.map { "\n  - \($0)" }.joined())"
    case .bridgedInTheClear(let record, let schema, let from, let fields, let isDowncast):
      "record '\(record.name)' of \(schema), which is a bridge, is stored in a form of \(from) until the bridge is active, and \(fields.map { "`\($0)`" }.joined(separator: ", ")) would not be encrypted there with the key of the same person: make the field personal in a version of its own before this one, for the same person with the same id\(isDowncast ? ", name it in 'losing:' of the Downcast if the older record does not hold it, write @Field(originalName: \"…\") at the id if it only got another name" : ""), or leave out .bridge"
    case .bridgeAtOnePosition(let schema, let from):
      "\(schema) is a bridge, and the stage from \(from) works out something from the whole log, after which nobody appends events of an older version: leave out .bridge"
    case .twoDowncasts(let record, let from, let to):
      "the stage from \(from) to \(to) has more than one Downcast for '\(record.name)': keep one for \\.\(record.caseName)"
    case .droppedDowncast(let record, let older, let from, let to):
      "the stage from \(from) to \(to) has a Downcast for '\(record.name)' to '\(older.name)', which it drops or retains, so that no program of \(to.name) would read it: let the Downcast for \\.\(record.caseName) lead to another record, or write Upcast(\\.\(older.caseName), to: \\.\(record.caseName)) { old, origin in … } in place of that rule"
    case .idleDowncast(let record, let from, let to):
      "the stage from \(from) to \(to) has a Downcast for '\(record.name)', and \(to.name) is no bridge: declare it with .bridge, or take the Downcast out"
    case .twoStreams(let from, let to):
      "the stage from \(from) to \(to) has more than one Streams: say in one of them where every entry goes"
    case .foldedStreams(let from, let to):
      "the stage from \(from) to \(to) has Streams and a Fold, and which of them sees the other's streams is not defined: put the Fold into a stage of its own, before or after it"
    case .partlyRetained(let record, let output, let from, let to, let newer):
      "the stage from \(from) to \(to) makes '\(output.name)' of '\(record.name)', and the stage to \(newer) retains that, but not all that comes of the entry: an entry is retained as a whole, and never by a Fold; write Drop(\\.\(output.caseName), reason: …) in place of the Retain, or let the rule for \\.\(record.caseName) make nothing else"
    case .reused(let record, let schema, let change):
      "record '\(record.name)' of \(schema) has a field of a reserved name: \(change)"
    case .twoRetags(let record, let from, let to):
      "the stage from \(from) to \(to) has more than one Retag for '\(record.name)': name all its tags in one Retag(\\.\(record.caseName), …)"
    case .untagged(let record, let from, let to):
      "the stage from \(from) to \(to) has a Retag for '\(record.name)', and no field of it declares a tag: write @Field(tag: \"…\") at one, or name the tags: Retag(\\.\(record.caseName), \"…\")"
    case .tagName(let record, let from, let to, let fault):
      "the stage from \(from) to \(to) has a Retag for '\(record.name)' with a name that no tag has, for \(fault): the name of a tag is its text before the colon, such as \"course\""
    case .idleRetag(let record, let from, let to):
      "the stage from \(from) to \(to) has a Retag for '\(record.name)', which no record of \(from) becomes, so that no stored event gets its tags: take it out, or name the record that older ones become"
    }
  }
}
