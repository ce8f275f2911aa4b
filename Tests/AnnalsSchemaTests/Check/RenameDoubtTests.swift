import Testing

/// Fields and records that may be others under new names.
@Suite struct RenameDoubtTests {
  private func errors<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> [String] {
    PlanCheck(of: plan, compatibility: .backward).errors.map(\.message)
  }

  @Test func `a constant does not hide a rename`() {
    #expect(
      errors(ConstantPlan.self) == [
        "in the stage from Book1 (1.0.0) to Book2 (1.1.0) record 'Book' loses `name` and gets `title`, of the same type: if they are one field, write @Field(originalName: \"name\") at it; if they are two, write Unrelated(\\.book, old: \\.name, new: \\.title) in the stage, and what is stored in the old one is not read any more"
      ])
    #expect(errors(UnrelatedPlan.self) == [])
    #expect(errors(RemovingPlan.self) == [])
  }

  @Test func `a rename inside a nested record is acknowledged by its path`() {
    #expect(errors(NestedPlan.self).count == 1)
    #expect(errors(NestedPlan.self).first?.contains("old: \\.place.hall, new: \\.place.room") == true)
    #expect(errors(NestedUnrelatedPlan.self) == [])
  }

  @Test func `an Unrelated that names other fields is an error`() {
    #expect(errors(WrongPlan.self).contains { $0.contains("an Unrelated for it and `nmae`") })
    #expect(throws: AnnalsError.self) { try CompiledPlan(WrongPlan.self) }
  }

  @Test func `an open that fails over a new field suggests the name that the field had`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(BarePlan.self) }
    #expect(error?.code == .invalidPlan)
    #expect(
      error?.message.contains("write @Field(originalName: \"name\")") == true, "\(error?.message ?? "")")
  }

  @Test func `an open that fails over a forgotten record suggests the name that the record had`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(ForgottenPlan.self) }
    #expect(
      error?.message.contains(
        "if 'Volume' is the same record under another name, write @Record(formerly: [\"Book\"]) at it")
        == true, "\(error?.message ?? "")")
  }
}

@Schema(1, 0, 0) private enum Book1 {
  @Record fileprivate struct Book { var name: String }
}
@Schema(1, 1, 0) private enum Book2 {
  @Record fileprivate struct Book { var title: String }
}
@Schema(1, 1, 0) private enum Volume2 {
  @Record fileprivate struct Volume { var name: String }
}
@Schema(1, 0, 0) private enum Show1 {
  @Value fileprivate struct Place { var hall: String? }
  @Record fileprivate struct Show { var place: Place }
}
@Schema(1, 1, 0) private enum Show2 {
  @Value fileprivate struct Place { var room: String? }
  @Record fileprivate struct Show { var place: Place }
}

private enum ConstantPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Book1, Book2> {
    MigrationStage.lightweight(fromVersion: Book1.self, toVersion: Book2.self) {
      Default(\.book, \.title, "")
    }
  }
}
private enum UnrelatedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Book1, Book2> {
    MigrationStage.lightweight(fromVersion: Book1.self, toVersion: Book2.self) {
      Default(\.book, \.title, "")
      Unrelated(\.book, old: \.name, new: \.title)
    }
  }
}
private enum RemovingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Book1, Book2> {
    MigrationStage.lightweight(fromVersion: Book1.self, toVersion: Book2.self) {
      Default(\.book, \.title, "")
      Remove(\.book, "name")
    }
  }
}
private enum WrongPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Book1, Book2> {
    MigrationStage.lightweight(fromVersion: Book1.self, toVersion: Book2.self) {
      Default(\.book, \.title, "")
      Unrelated(\.book, old: \.nmae, new: \.title)
    }
  }
}
private enum BarePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Book1, Book2> {
    MigrationStage.lightweight(fromVersion: Book1.self, toVersion: Book2.self)
  }
}
private enum ForgottenPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Book1, Volume2> {
    MigrationStage.lightweight(fromVersion: Book1.self, toVersion: Volume2.self)
  }
}
private enum NestedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Show1, Show2> {
    MigrationStage.lightweight(fromVersion: Show1.self, toVersion: Show2.self)
  }
}
private enum NestedUnrelatedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Show1, Show2> {
    MigrationStage.lightweight(fromVersion: Show1.self, toVersion: Show2.self) {
      Unrelated(\.show, old: \.place.hall, new: \.place.room)
    }
  }
}
