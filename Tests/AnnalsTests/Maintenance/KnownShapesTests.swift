import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

@Schema(1, 0, 0) enum KnownShapesV1 {
  @Record struct Measured {
    var double: Double
    var float: Float
    var whole: Int
    var data: Data
    var date: Date
    var remark: String?
  }
}

enum KnownShapesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<KnownShapesV1, KnownShapesV1> {}
}

/// Imports of lines without ids whose entries a plan has stored by shape.
@Suite struct KnownShapesTests {
  typealias Event = KnownShapesV1.Event

  private static let doubles: [Double] = [
    0, -0.0, 1, -7, 0.1, 1e22, 65_505, 9_007_199_254_740_992, .nan, .signalingNaN, .infinity,
    .leastNonzeroMagnitude, .greatestFiniteMagnitude, Double(bitPattern: 0xfff8_0000_0000_0001),
  ]

  private static func event(_ double: Double) -> Event {
    .measured(
      .init(
        double: double, float: Float(double), whole: Int(exactly: double) ?? .min, data: Data([0, 255]),
        date: Date(timeIntervalSinceReferenceDate: double.isFinite ? 0.25 : 1),
        remark: double.isNaN ? nil : "\(double)"))
  }

  @Test func `a store's own dump is recognised, with numbers of every kind`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: KnownShapesPlan.self)
    try await store.append([NewEvent<Event>(Self.event(2), id: UUID())], to: "a")
    for double in Self.doubles { try await store.append([Self.event(double)], to: "a") }
    let lines = try store.log.lines()
    let report = try await store.log.importText(lines.joined(separator: "\n"))
    #expect(report.stored == 0 && report.repeated == UInt64(Self.doubles.count + 1))
    #expect(try store.log.lines() == lines)
  }

  @Test func `a line that differs from the entry of a shape is stored`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: KnownShapesPlan.self)
    try await store.append([NewEvent<Event>(Self.event(2), id: UUID())], to: "a")
    try await store.append([Self.event(3)], to: "a")
    var lines = try store.log.lines()
    lines[1] = lines[1].replacing("\"whole\":3", with: "\"whole\":4")
    let report = try await store.log.importText(lines.joined(separator: "\n"))
    #expect(report.stored == 1 && report.repeated == 1)
  }

  @Test func `lines without ids are recognised across batches`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let first = #"{"stream":"a","type":"T","id":"\#(UUID())","data":{"n":0}}"#
    let lines = [first] + (1..<9_000).map { #"{"stream":"a","type":"T","data":{"n":\#($0)}}"# }
    #expect(try await log.importText(lines.joined(separator: "\n")).stored == 9_000)
    #expect(try await log.importText(lines.joined(separator: "\n")).repeated == 9_000)
  }
}
