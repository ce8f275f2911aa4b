import Annals

/// A record in two versions between which a stage needs no rule.
enum Voyages {
  @Record struct Older: Record {
    var ship: String
    var draught: Float
    var berth: UInt16
    var crew: Set<UInt16>
    var stops: [Stop]
    var cargo: [String: Load?]
    var depths: [Int8: Float]
    var leader: Stop?
    var flag: String
    var part: Part

    static var samples: [Older] {
      [
        Older(
          ship: "Alma", draught: 8.5, berth: 300, crew: [1, 24, 70], stops: [Stop(port: "Oslo", hours: 3)],
          cargo: ["a": .tons(4), "b": nil, "c": .empty], depths: [-3: 0.5, 4: 1.5],
          leader: Stop(port: "", hours: -1), flag: "no", part: .many([.one, .many([])])),
        Older(
          ship: "", draught: 0, berth: 0, crew: [], stops: [], cargo: [:], depths: [:], leader: nil, flag: "",
          part: .one),
      ]
    }
  }

  @Value struct Stop {
    var port: String
    var hours: Int8
  }

  @Value enum Load {
    case empty
    case tons(UInt8)
  }

  @Value indirect enum Part {
    case one
    case many([Part])
  }

  @Record struct Newer: Record {
    var pilot: String?
    @Field(originalName: "flag") var colours: String
    var part: Part
    var draught: Double
    var stops: [NewStop]
    @Field(originalName: "ship") var name: String
    var berth: Int32?
    var crew: Set<UInt64>
    var cargo: [String: NewLoad?]
    var depths: [Int32: Double]
    var leader: NewStop?
  }

  @Value struct NewStop {
    @Field(originalName: "hours") var stay: Int64
    @Field("quay") var pier: UInt8?
    var port: String
  }

  @Value enum NewLoad {
    case empty
    case tons(UInt32)
    case full
  }
}
