import Testing

/// What the check says of fields that become personal, are no longer personal, or change their person.
@Suite struct PersonalChangeTests {
  private func lines<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> [String] {
    PlanCheck(of: plan).stages.flatMap(\.records).flatMap(\.fields).map(\.line)
  }

  private func warnings<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> [String] {
    PlanCheck(of: plan).findings.filter { $0.severity == .warning }.map(\.message)
  }

  @Test func `each such field has a line, and those that a drop no longer reaches are warned of`() {
    let check = PlanCheck(of: LetterPlan.self)
    #expect(check.errors.isEmpty)
    #expect(
      check.stages[0].records[0].description == """
        ~ Sent  read in its new shape
            ~ text: belongs to the person in recipient, no longer to the one in sender  (lightweight; new reads old: as is; old reads new: as is)
            ~ place: no longer personal  (lightweight; new reads old: as is; old reads new: as is)
            ~ note: becomes personal, of the person in sender  (lightweight; new reads old: as is; old reads new: as is)
            = sender, recipient, stamp
        """)
    #expect(
      warnings(LetterPlan.self) == [
        "in the stage from Letters1 (1.0.0) to Letters2 (1.1.0), record 'Sent': `text` belonged to the person in `sender`, and belongs to the one in `recipient`: older values stay encrypted with the key of the former until a pass; unless that is meant, name `sender` in personal: again",
        "in the stage from Letters1 (1.0.0) to Letters2 (1.1.0), record 'Sent': `place` is no longer personal: new values are stored in the clear, and a pass stores the older ones in the clear; unless that is meant, write personal: again, with the property of `sender`",
      ])
  }

  @Test func `another name of the person's id is no change`() {
    #expect(lines(RenamedLetterPlan.self) == ["~ sender -> author: text"])
    #expect(warnings(RenamedLetterPlan.self) == [])
    // A rule makes the id, as far as the shapes say.
    #expect(!lines(RuledLetterPlan.self).contains { $0.contains("belongs") })
  }

  @Test func `fields that move out of a personal part are compared with it`() {
    #expect(
      lines(HoistedLetterPlan.self).filter { $0.contains("personal") } == ["~ street: no longer personal"])
    #expect(
      lines(PlungedLetterPlan.self).filter { $0.contains("personal") } == [
        "~ place.city: becomes personal, of the person in sender",
        "~ place.street: becomes personal, of the person in sender",
      ])
  }

  @Test func `a proposed line keeps what the field says of personal data`() {
    #expect(
      PlanCheck.proposals(for: NamedPlan.self).first?.line
        == "@Field(originalName: \"name\", personal: \"id\", erased: \"nobody\") var title: String")
  }

  @Test func `a rule that makes a field in the clear is warned of`() {
    #expect(warnings(RuledLetterPlan.self).count == 1)
    #expect(warnings(RuledLetterPlan.self).first?.contains("`place` is no longer personal") == true)
  }
}

@Schema(1, 0, 0) private enum Letters1 {
  @Record fileprivate struct Sent {
    var sender: String
    var recipient: String
    @Field(personal: "sender", erased: "gone") var text: String
    @Field(personal: "sender", erased: "gone") var place: String
    var note: String?
    @Field(personal: "sender") var stamp: String?
  }
}

@Schema(1, 1, 0) private enum Letters2 {
  @Record fileprivate struct Sent {
    var sender: String
    var recipient: String
    @Field(personal: "recipient", erased: "gone") var text: String
    var place: String
    @Field(personal: "sender") var note: String?
    @Field(personal: "sender") var stamp: String?
  }
}

@Schema(1, 1, 0) private enum RenamedLetters {
  @Record fileprivate struct Sent {
    @Field(originalName: "sender") var author: String
    var recipient: String
    @Field(personal: "author", erased: "gone") var text: String
    @Field(personal: "author", erased: "gone") var place: String
    var note: String?
    @Field(personal: "author") var stamp: String?
  }
}

@Schema(2, 0, 0) private enum RuledLetters {
  @Record fileprivate struct Sent {
    var senderID: String
    @Field(personal: "senderID", erased: "gone") var text: String
    var place: String
  }
}

@Schema(1, 0, 0) private enum PlacedLetters {
  @Value fileprivate struct Place {
    var city: String
    var street: String
  }
  @Record fileprivate struct Sent {
    var sender: String
    @Field(personal: "sender", erased: PlacedLetters.Place(city: "-", street: "-")) var place: Place
  }
}

@Schema(1, 1, 0) private enum HoistedLetters {
  @Record fileprivate struct Sent {
    var sender: String
    @Field(personal: "sender", erased: "-") var city: String
    var street: String
  }
}

@Schema(1, 2, 0) private enum PlungedLetters {
  @Value fileprivate struct Place {
    var city: String
    var street: String
  }
  @Record fileprivate struct Sent {
    var sender: String
    @Field(personal: "sender", erased: PlungedLetters.Place(city: "-", street: "-")) var place: Place
  }
}

@Schema(1, 1, 0) private enum LooseLetters {
  @Record fileprivate struct Sent {
    var sender: String
    var city: String
    var street: String
  }
}

@Schema(1, 0, 0) private enum Names1 {
  @Record fileprivate struct Named {
    var id: Int
    @Field(personal: "id", erased: "gone") var name: String
  }
}

@Schema(1, 1, 0) private enum Names2 {
  @Record fileprivate struct Named {
    var id: Int
    @Field(personal: "id", erased: "nobody") var title: String
  }
}

private enum NamedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Names1, Names2> {
    MigrationStage.lightweight(fromVersion: Names1.self, toVersion: Names2.self)
  }
}

private enum LetterPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Letters1, Letters2> {
    MigrationStage.lightweight(fromVersion: Letters1.self, toVersion: Letters2.self)
  }
}

private enum RenamedLetterPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Letters1, RenamedLetters> {
    MigrationStage.lightweight(fromVersion: Letters1.self, toVersion: RenamedLetters.self)
  }
}

private enum RuledLetterPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Letters1, RuledLetters> {
    MigrationStage.custom(fromVersion: Letters1.self, toVersion: RuledLetters.self) {
      Upcast(\.sent, to: \.sent) { old, _ in
        .init(senderID: "person/\(old.sender)", text: old.text, place: "")
      }
    }
  }
}

private enum HoistedLetterPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<PlacedLetters, HoistedLetters> {
    MigrationStage.lightweight(fromVersion: PlacedLetters.self, toVersion: HoistedLetters.self) {
      Hoist(\.sent, \.city, from: "place")
      Hoist(\.sent, \.street, from: "place")
    }
  }
}

private enum PlungedLetterPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LooseLetters, PlungedLetters> {
    MigrationStage.lightweight(fromVersion: LooseLetters.self, toVersion: PlungedLetters.self) {
      Plunge(\.sent, into: \.place)
    }
  }
}
