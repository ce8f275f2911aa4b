import SwiftDiagnostics
import SwiftSyntax

/// What `@Field(personal:erased:)` says of a field.
struct PersonalMark {
  /// The property with the id of the person, as written.
  let subject: String
  /// The place of that name.
  let place: ExprSyntax
  /// The value after the key was dropped; `nil` for none.
  let erased: ExprSyntax?
  /// The name on disk of the property; found when all fields are known.
  var diskName: DiskName?
}

extension NameArguments {
  /// Returns what the attribute of the field `bare` says of personal data; `nil` if it says nothing.
  ///
  /// - Parameter owner: What has the field: a record, or a value, whose fields are not personal.
  mutating func personalMark(of owner: String) -> PersonalMark? {
    let erased = expression("erased").flatMap { $0.is(NilLiteralExprSyntax.self) ? nil : $0 }
    guard let name = name("personal"), let place = expression("personal") else {
      if let erased, complaints.isEmpty {
        complain(erased, "only a personal field is erased: write personal: with the field of the person's id")
      }
      return nil
    }
    guard owner == "record" else {
      complain(
        place,
        "only a field of a @Record can be personal, and this is one of a @Value: make the field of the record that holds it personal"
      )
      return nil
    }
    if expression("tag").map({ !$0.is(NilLiteralExprSyntax.self) }) == true {
      complain(
        place, "a field cannot be both tag and personal, because tags are not encrypted: remove one of them")
      return nil
    }
    return PersonalMark(subject: name.text, place: place, erased: erased)
  }
}

extension [StoredField] {
  /// Gives each personal field the name on disk of its subject, and returns the mistakes.
  mutating func findSubjects() -> [Diagnostic] {
    var complaints: [Diagnostic] = []
    for index in indices {
      guard let mark = self[index].personal else { continue }
      let bare = self[index].bare
      func complain(_ text: String) { complaints.append(Diagnostic(mark.place, text)) }
      guard let subject = first(where: { $0.bare == mark.subject }), subject.bare != bare else {
        complain(
          "field '\(bare)' is personal, and no other field of the record is called '\(mark.subject)': name the property with the person's id"
        )
        continue
      }
      if subject.personal != nil {
        complain(
          "field '\(mark.subject)' has the id of a person and cannot be personal itself: keep the id apart")
      } else if subject.isOptional {
        complain(
          "field '\(mark.subject)' has the id of a person and cannot be optional: write its type without '?'")
      } else if mark.erased == nil, !self[index].isOptional {
        complain(
          "field '\(bare)' is personal, and readers need a value after its key was dropped: write erased:, or make its type optional"
        )
      } else {
        self[index].personal?.diskName = subject.name
      }
    }
    return complaints
  }
}
