import Testing

@Suite struct FormerNameTests {
  @Schema(1, 0, 0) enum Films1 {
    @Record struct PixarFilm: Equatable { var title: String }
  }
  @Schema(2, 0, 0) enum Films2 {
    @Record(formerly: ["PixarFilm"]) struct Film: Equatable { var title: String }
    @Record struct PixarFilm: Equatable {
      var title: String
      var studio: String?
    }
  }
  @Schema(2, 0, 0) enum Twice2 {
    @Record(formerly: ["PixarFilm"]) struct Film: Equatable { var title: String }
    @Record(formerly: ["PixarFilm"]) struct Movie: Equatable { var title: String }
  }
  enum Plan: SchemaMigrationPlan {
    static var stages: MigrationChain<Films1, Films2> {
      MigrationStage.lightweight(fromVersion: Films1.self, toVersion: Films2.self)
    }
  }
  enum TwicePlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Films1, Twice2> {
      MigrationStage.lightweight(fromVersion: Films1.self, toVersion: Twice2.self)
    }
  }
  enum RuledPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Films1, Films2> {
      MigrationStage.custom(fromVersion: Films1.self, toVersion: Films2.self) {
        Upcast(\.pixarFilm, to: \.film) { old, _ in .init(title: old.title) }
      }
    }
  }

  @Test func `a former name that another record has, or claims too, is a problem of the plan`() {
    for compile in [
      { () throws in _ = try CompiledPlan(Plan.self) }, { () throws in _ = try CompiledPlan(TwicePlan.self) },
    ] {
      let error = #expect(throws: AnnalsError.self) { try compile() }
      #expect(error?.code == .invalidPlan)
      #expect(error?.message.contains("says that it was 'PixarFilm'") == true)
    }
  }

  @Test func `with a rule for the older record its former name has no effect`() throws {
    _ = try CompiledPlan(RuledPlan.self)
  }
}
