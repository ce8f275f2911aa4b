import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsStore

/// Opens that fail: a typed error before any write, and not one byte of the data changed.
@Suite struct FailedOpenContractTests {
  /// A way to open the store that must fail.
  struct Attempt: Sendable, CustomTestStringConvertible {
    let code: AnnalsError.Code
    let open: @Sendable (URL) throws -> Void
    var testDescription: String { code.description }
  }

  static let attempts = [
    Attempt(code: .newerSchema) { _ = try EventStore(at: $0, plan: FirstMarketPlan.self) },
    Attempt(code: .storeTooOld) { _ = try EventStore(at: $0, plan: NewestPlan.self) },
    Attempt(code: .noPath) { _ = try EventStore(at: $0, plan: OtherPlan.self) },
    Attempt(code: .invalidPlan) { _ = try EventStore(at: $0, plan: ForgetfulPlan.self) },
    Attempt(code: .cannotCreate) {
      _ = try EventStore(at: $0, plan: MarketPlan.self, options: StoreOptions(creation: .always))
    },
    Attempt(code: .wrongUse) {
      _ = try EventStore(at: $0, plan: MarketPlan.self, options: StoreOptions(maximumPayload: 0))
    },
  ]

  /// A store that holds events of the market's first two versions.
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    var generator = MarketGenerator(seed: 1)
    let events = try (0..<40).map { _ in try generator.nextOfOne() }
    let log = try EventLog(at: place.url)
    try await log.append(events, using: &generator)
    try await log.append(
      [
        NewEntry(
          type: "Noted", version: SchemaVersion(2, 0, 0),
          payload: try Payload(["text": "second", "place": 1]))
      ], to: "stall-1")
    return place
  }

  // Promise P128.
  @Test(arguments: attempts)
  func `an open that fails leaves every byte of the data as it was`(attempt: Attempt) async throws {
    let place = try await seeded()
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try attempt.open(place.url) }
    #expect(error?.code == attempt.code)
    #expect(try place.files() == files)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
    #expect(try EventStore(at: place.url, plan: MarketPlan.self).delivered().count == 41)
  }

  @Test func `a store that must exist and does not is not created`() throws {
    let place = try TemporaryStore()
    for options in [StoreOptions(creation: .never), StoreOptions(access: .readOnly)] {
      let error = #expect(throws: AnnalsError.self) {
        try EventStore(at: place.url, plan: MarketPlan.self, options: options)
      }
      #expect(error?.code == .noSuchStore)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == [])
  }

  // Promise P18.
  @Test(
    arguments: [
      (StoreMeta.Name.format, [2, 0, 0, 0], AnnalsError.Code.formatVersion)
    ] as [(StoreMeta.Name, [UInt8], AnnalsError.Code)])
  func `a store of a later library is refused as such and left as it is`(
    name: StoreMeta.Name, value: [UInt8], code: AnnalsError.Code
  ) async throws {
    let place = try await seeded()
    let file = place.url.appending(path: "log-000001.mdb")
    let key = Array(name.rawValue.utf8)
    let meta = StoreMeta(log: UUID())
    let row = Data(key + Row.seal(meta.value(of: name), key: key))
    var data = try Data(contentsOf: file)
    // Pages that later commits have replaced may still hold the row as well.
    var found = 0
    while let range = data.range(of: row) {
      data.replaceSubrange(range, with: key + Row.seal(value, key: key))
      found += 1
    }
    try #require(found > 0)
    try data.write(to: file)
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: MarketPlan.self) }
    #expect(error?.code == code)
    #expect(try place.files() == files)
  }
}

private enum NewestPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<MarketV2, MarketV2> {}
}

/// The market's versions without its records.
@Schema(1, 0, 0) private enum Other1 {
  fileprivate struct Weighed: Record, Codable { var grams: Int }
}
@Schema(2, 0, 0) private enum Other2 {
  typealias Weighed = Other1.Weighed
}
private enum OtherPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Other1, Other2> {
    MigrationStage.custom(fromVersion: Other1.self, toVersion: Other2.self)
  }
}

/// It has no rules for the records that it does not keep unchanged.
private enum ForgetfulPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<MarketV1, MarketV2> {
    MigrationStage.custom(fromVersion: MarketV1.self, toVersion: MarketV2.self)
  }
}
