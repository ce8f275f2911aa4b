import Testing

/// What the macros write, by hand.
@Suite struct HandwrittenRecordTests {
  @Test func `a record written by hand has the shape of one that a macro writes`() {
    #expect(ByHand.Film.recordShape == Written.Film.recordShape)
    #expect(ByHand.Film.recordName == Written.Film.recordName)
    #expect(ByHand.Film.formerNames == Written.Film.formerNames)
  }

  @Test func `a record written by hand has the bytes of one that a macro writes`() throws {
    let byHand = ByHand.Film(title: "Up", minutes: 96, parcel: .box(grams: 5, true))
    #expect(
      try byHand.payload() == Written.Film(title: "Up", minutes: 96, parcel: .box(grams: 5, true)).payload())
    #expect(try byHand.roundTrip() == byHand)
  }

  @Test func `an enum written by hand has the shape of one that a macro writes`() {
    #expect(ByHand.Parcel.shape == Written.Parcel.shape)
  }

  @Test func `a schema written by hand holds records that are marked`() throws {
    #expect(ByHand.Event.records.map { $0.type.recordName } == ["film", "Seen"])
    #expect(ByHand.stability == .released)
    let plan = try CompiledPlan(ByHandPlan.self)
    let film = ByHand.Film(title: "Up", minutes: 96, parcel: .letter)
    #expect(try plan.upcast(film, .init(1, 0, 0), as: ByHandPlan.self) == [Lifted(.film(film))])
    #expect(
      try plan.upcast(ByHand.Seen(times: 2), .init(1, 0, 0), as: ByHandPlan.self) == [
        Lifted(.seen(.init(times: 2)))
      ])
  }
}

@Schema(1, 0, 0) private enum Written {
  @Record("film", formerly: ["Movie"]) fileprivate struct Film {
    var title: String
    @Field("min", originalName: "length") var minutes: Int
    var parcel: Parcel
  }
  @Value fileprivate enum Parcel {
    case letter
    case box(grams: Int, Bool)
  }
}

private enum ByHand: VersionedSchema {
  static let version = SchemaVersion(1, 0, 0)

  fileprivate struct Film: ShapedRecord, Equatable {
    var title: String
    var minutes: Int
    var parcel: Parcel

    static var recordName: String { "film" }
    static var formerNames: [String] { ["Movie"] }
    static func shape(in types: inout ShapeTypes) -> ValueShape {
      types.record(Self.self) { types in
        [
          FieldShape("title", \Self.title, in: &types),
          FieldShape("min", originalName: "length", \Self.minutes, in: &types),
          FieldShape("parcel", \Self.parcel, in: &types),
        ]
      }
    }
    func encode(into writer: inout FieldWriter) throws(CodingFailure) {
      try writer.begin(3)
      try writer.field(title)
      try writer.field(minutes)
      try writer.field(parcel)
      writer.leave()
    }
  }

  fileprivate enum Parcel: StoredValue, Equatable {
    case letter
    case box(grams: Int, Bool)

    static func shape(in types: inout ShapeTypes) -> ValueShape {
      types.choice(Self.self) { types in
        [CaseShape("letter"), CaseShape("box", ["grams", "_1"], Self.box(grams:_:), in: &types)]
      }
    }
    init(from reader: inout FieldReader) throws(CodingFailure) {
      switch try reader.choice() {
      case 0:
        try reader.holds(0)
        self = .letter
      case 1:
        try reader.holds(2)
        self = .box(grams: try reader.field(), try reader.field())
      default: throw reader.unknownCase()
      }
      reader.leave()
    }
    func encode(into writer: inout FieldWriter) throws(CodingFailure) {
      switch self {
      case .letter: try writer.choice(0)
      case .box(let grams, let isFragile):
        try writer.choice(1, holding: 2)
        try writer.field(grams)
        try writer.field(isFragile)
      }
      writer.leave()
    }
  }

  @Record fileprivate struct Seen: Equatable { var times: Int }

  fileprivate enum Event: SchemaEvent, Equatable {
    case film(Film)
    case seen(Seen)

    struct Cases {
      var film: RecordCase<Event, Film> { RecordCase(0, step: { $0.film }, event: { .film($0) }) }
      var seen: RecordCase<Event, Seen> { RecordCase(1, step: { $0.seen }, event: { .seen($0) }) }
    }
    struct Steps {
      let film: RecordStep<Film>
      let seen: RecordStep<Seen>
    }

    static var cases: Cases { Cases() }
    static var records: [SchemaRecord] { [SchemaRecord("film", Film.self), SchemaRecord("seen", Seen.self)] }
    static func steps(from source: inout some StepSource<Event>) throws(AnnalsError) -> Steps {
      Steps(film: try source.step(for: cases.film), seen: try source.step(for: cases.seen))
    }
    var caseIndex: Int {
      switch self {
      case .film: 0
      case .seen: 1
      }
    }
    func encode(into payload: inout [UInt8]) throws(CodingFailure) {
      switch self {
      case .film(let record): try record.encode(into: &payload)
      case .seen(let record): try record.encode(into: &payload)
      }
    }
    consuming func send(through steps: Steps, _ origin: Origin, into buffer: EventBuffer) throws(StepFailure)
    {
      switch consume self {
      case .film(let record): try steps.film.run(record, origin, buffer)
      case .seen(let record): try steps.seen.run(record, origin, buffer)
      }
    }
  }
}

// In an extension, which leaves the struct the initializer that Swift writes.
extension ByHand.Film {
  fileprivate init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(3)
    title = try reader.field()
    minutes = try reader.field()
    parcel = try reader.field()
    reader.leave()
  }
}

private enum ByHandPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ByHand, ByHand> {}
}
