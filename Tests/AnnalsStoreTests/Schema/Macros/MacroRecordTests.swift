import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import AnnalsSchema
@testable import AnnalsShapes

@Suite struct MacroRecordTests {
  private let film = FilmsV1.Film(
    title: "Up", minutes: 96, rating: 4.5,
    cast: [.init(name: "Carl", part: .lead, agents: [.init(name: "Dug", part: .spoken, agents: [])])],
    byRole: ["Russell": .init(name: "Jordan", part: nil, agents: [])],
    seats: [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))],
    shown: Date(timeIntervalSince1970: 1_243_555_200.25))

  @Test func `a record is read as it was written`() throws {
    #expect(try film.roundTrip() == film)
    let bare = FilmsV1.Film(minutes: 1, rating: nil, seats: [])
    #expect(try bare.roundTrip() == bare)
  }

  @Test func `a record has the fields of its properties, in their order`() throws {
    let fields = try #require(FilmsV1.Film.recordShape).fields
    #expect(fields.map(\.name) == ["title", "min", "rating", "cast", "byRole", "seats", "shown"])
    #expect(fields.map(\.originalName) == [nil, "length", nil, nil, nil, nil, nil])
    #expect(fields.prefix(3).map(\.shape) == [.text, .integer(.int64), .optional(.double)])
  }

  @Test func `a field knows its property`() throws {
    let fields = try #require(FilmsV1.Film.recordShape).fields
    #expect(fields.first?.path as? AnyKeyPath == \FilmsV1.Film.title)
  }

  @Test func `a record has the names that its mark gives`() {
    #expect(FilmsV1.Film.recordName == "film")
    #expect(FilmsV1.Film.formerNames == ["PixarFilm", "Movie"])
    #expect(FilmsV1.Film.reservedNames == ["studio"])
    #expect(FilmsV1.Filmed.recordName == "Filmed")
    #expect(FilmsV1.Filmed.formerNames == [] && FilmsV1.Filmed.reservedNames == [])
  }

  @Test func `a payload is the array of the fields`() throws {
    // [2, "Up", 3]: an array of two, a text of two bytes, a small number
    #expect(try FilmsV1.Filmed(film: "Up", scenes: 3).payload() == [0x82, 0x62, 0x55, 0x70, 0x03])
    #expect(try FilmsV1.Waited().payload() == [0x80])
  }

  @Test func `a record that is Codable as well is stored by its shape`() throws {
    let filmed = FilmsV1.Filmed(film: "Up", scenes: 3)
    #expect(try filmed.roundTrip() == filmed)
    #expect(
      FilmsV1.Filmed.recordShape == RecordShape([.init("film", .text), .init("scenes", .integer(.int64))]))
    func generic<R: Record & Codable>(_ record: R) throws -> [UInt8] { try record.payload() }
    #expect(try generic(filmed).first == 0x82)
  }

  @Test func `a record without fields is stored`() throws {
    #expect(try FilmsV1.Waited().roundTrip() == FilmsV1.Waited())
    #expect(FilmsV1.Waited.recordShape == RecordShape([]))
  }

  @Test func `a record may hold records, values and types that are stored by name`() throws {
    let edited = FilmsV1.Edited(
      filmed: .init(film: "Up", scenes: 2), closed: [.init(reason: nil), .init(reason: "late")],
      scene: .cut(.shot(seconds: 3, true), to: .montage([.empty, .other])),
      notes: .init(text: ["a": 1, "b": 2]))
    #expect(try edited.roundTrip() == edited)
    let shapes = try #require(FilmsV1.Edited.recordShape).fields.map(\.shape)
    #expect(
      shapes[0] == .record([.init("film", .text), .init("scenes", .integer(.int64))]))
    #expect(shapes[1] == .list(.record([.init("reason", .optional(.text))])))
    #expect(shapes[3] == .codable)
  }

  @Test func `the default value of a property is never read`() throws {
    #expect(throws: CodingFailure.self) { try FilmsV1.Film.decode(payload: [UInt8]([0x80]).span) }
    #expect(try FilmsV1.Film(title: "", minutes: 0, rating: nil, seats: []).roundTrip().title == "")
  }

  @Test func `a reused record is stored under its own name`() {
    let names = FilmsV1.Event.records.map { $0.type.recordName }
    #expect(names == ["Closed", "film", "Filmed", "Edited", "Waited"])
  }

  @Test func `a schema says whether it may still change`() {
    #expect(FilmsV1.stability == .draft)
    #expect(OrdersV1.stability == .released)
  }

  @Test func `a record of sixty fields is stored`() throws {
    let wide = Wide.V1.Row(
      a0: 0, a1: 1, a2: 2, a3: 3, a4: 4, a5: 5, a6: 6, a7: 7, a8: 8, a9: 9, b0: "0", b1: "1", b2: "2",
      b3: "3",
      b4: "4", b5: "5", b6: "6", b7: "7", b8: "8", b9: "9", c0: 0.5, c1: 1.5, c2: nil, c3: 3.5, c4: 4.5,
      c5: 5.5,
      c6: 6.5, c7: 7.5, c8: 8.5, c9: 9.5, d0: true, d1: false, d2: true, d3: false, d4: true, d5: false,
      d6: true,
      d7: false, d8: true, d9: false, e0: [], e1: [1], e2: [2], e3: [3], e4: [4], e5: [5], e6: [6], e7: [7],
      e8: [8], e9: [9], f0: nil, f1: 1, f2: 2, f3: 3, f4: 4, f5: 5, f6: 6, f7: 7, f8: 8, f9: 9)
    #expect(try wide.roundTrip() == wide)
    #expect(Wide.V1.Row.recordShape?.fields.count == 60)
  }
}

/// A record of sixty fields.
private enum Wide {
  @Schema(1, 0, 0) enum V1 {
    @Record struct Row: Equatable {
      var a0, a1, a2, a3, a4, a5, a6, a7, a8, a9: Int
      var b0, b1, b2, b3, b4, b5, b6, b7, b8, b9: String
      var c0, c1, c2, c3, c4, c5, c6, c7, c8, c9: Double?
      var d0, d1, d2, d3, d4, d5, d6, d7, d8, d9: Bool
      var e0, e1, e2, e3, e4, e5, e6, e7, e8, e9: [Int]
      var f0, f1, f2, f3, f4, f5, f6, f7, f8, f9: Int?
    }
  }
}
