import Annals
import FaultPrograms
import Foundation
import Testing

/// The findings of the examination for views that differ from the log.
@Suite struct ViewExaminationTests {
  private static let seed: UInt64 = 3
  private static let calls = 12

  /// A version that says it is the first and weighs wrongly.
  private enum Forged: CargoVersion {
    static let number = 1
    static let weight = 2
  }

  /// Examines a store with a view that was folded in version `V`.
  ///
  /// - Parameter version: The version that it is opened in.
  /// - Returns: The finding, `nil` if there is none, and whether rows were there at once.
  private func examine<V: CargoVersion>(
    _ projection: Cargo<V>.Type, version: Int = 1, _ change: (URL) throws -> Void = { _ in }
  ) async throws -> (finding: String?, isThere: Bool) {
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let url = scratch.url.appendingPathComponent(Examination.name)
    try await fold(projection, url)
    try change(url.appendingPathComponent("views"))
    var knowledge = Examination.Knowledge(
      must: CallSet(0..<Self.calls), may: CallSet(0..<Self.calls), isHistory: true)
    knowledge.version = version
    do {
      let found = try await ViewExamination(seed: Self.seed, calls: Self.calls).run(
        in: scratch.url, knowledge)
      return (nil, found.resumed > 0)
    } catch let finding as Examination.Finding {
      return (finding.description, false)
    }
  }

  private func fold<V: CargoVersion>(_ projection: Cargo<V>.Type, _ url: URL) async throws {
    let store = try EventStore(at: url, plan: Harbour.self)
    for number in 0..<Self.calls { _ = try await HarbourCall(number, seed: Self.seed).append(to: store) }
    let view = try store.view(projection)
    let head = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }
    try await view.waitUntil(try #require(head))
  }

  @Test(arguments: 1...3) func `a view that was folded is as it must be, in its version and in later ones`(
    version: Int
  ) async throws {
    let found = try await examine(Cargo<CargoOne>.self, version: version)
    #expect(found.finding == nil)
    #expect(found.isThere)
  }

  @Test func `a view whose files are gone is as it must be, and was not there`() async throws {
    let found = try await examine(Cargo<CargoOne>.self) { try FileManager.default.removeItem(at: $0) }
    #expect(found.finding == nil)
    #expect(!found.isThere)
  }

  @Test func `a row that the log does not give is found`() async throws {
    let found = try await examine(Cargo<Forged>.self)
    #expect(found.finding?.contains("of ships row 0 of ") == true, "\(found)")
    #expect(found.finding?.hasPrefix("read only, at position ") == true, "\(found)")
  }

  @Test func `a view that the program's version must not read is found`() async throws {
    let found = try await examine(Cargo<CargoTwo>.self)
    #expect(found.finding?.contains("the view cannot be opened") == true, "\(found)")
  }
}
