import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

@Suite struct TreeRecordTests {
  @Schema(1, 0, 0) fileprivate enum Typed {
    @Record fileprivate struct PixarFilm: Equatable {
      var title: String
      var year: Int
    }
  }
  @Schema(1, 0, 0) fileprivate enum Gone {
    fileprivate struct PixarFilm: TreeRecord { var tree: CBOR }
  }
  @Schema(2, 0, 0) fileprivate enum Films {
    @Record fileprivate struct Film: Equatable { var label: String }
  }
  private enum Written: SchemaMigrationPlan {
    static var stages: MigrationChain<Typed, Typed> {}
  }
  private enum Read: SchemaMigrationPlan {
    static var stages: MigrationChain<Gone, Films> {
      MigrationStage.custom(fromVersion: Gone.self, toVersion: Films.self) {
        Upcast(\.pixarFilm, to: \.film) { old, _ in
          guard case .text(let title)? = old.tree["title"], case .unsigned(let year)? = old.tree["year"]
          else {
            throw Shapeless()
          }
          return .init(label: "\(title) (\(year))")
        }
      }
    }
    struct Shapeless: Error {}
  }

  @Test func `a rule takes apart a stored event whose Swift struct is gone`() async throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    try await log.append(
      [
        NewEntry(
          type: "PixarFilm", version: SchemaVersion(1, 0, 0),
          payload: try Payload(["title": "Up", "year": 2009]))
      ], to: "films")
    let written = try EventStore(at: place.url, plan: Written.self)
    try await written.append([.pixarFilm(.init(title: "Cars", year: 2006))], to: "films")
    let labels = try EventStore(at: place.url, plan: Read.self).events().map {
      switch $0 {
      case .film(let film): film.label
      }
    }
    #expect(labels == ["Up (2009)", "Cars (2006)"])
  }
}
