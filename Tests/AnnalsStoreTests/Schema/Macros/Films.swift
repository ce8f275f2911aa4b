#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records that other schemas share.
enum FilmsV0 {
  @Record struct Closed: Record, Equatable { var reason: String? }
}

/// A schema with every form of record, value and field that the macros write.
@Schema(1, 0, 0, .draft) enum FilmsV1 {
  typealias Closed = FilmsV0.Closed

  @Record("film", formerly: ["PixarFilm", "Movie"], reserved: ["studio"]) struct Film: Equatable {
    var title: String = "untitled"
    @Field("min", originalName: "length") var minutes: Int
    let rating: Double?
    var cast: [Person] = []
    var byRole: [String: Person]?
    var seats: Set<UUID>
    var shown: Date?
    var line: String { "\(title), \(minutes)" }
    static let limit = 10
  }

  @Value struct Person: Codable, Equatable {
    var name: String
    @Field("role") var part: Part?
    var agents: [Person]

    @Value enum Part: String, Codable {
      case lead = "main"
      case extra
      @Field("voice") case spoken = "off"
    }
  }

  @Value indirect enum Scene: Equatable {
    case empty
    case shot(seconds: Int, Bool)
    case cut(Scene, to: Scene?)
    case montage([Scene])
    @UnknownCase case other
  }

  @Annals.Record struct Filmed: Codable, Equatable {
    var film: String
    var scenes: Int
  }

  @Record struct Edited: Equatable {
    var filmed: Filmed
    var closed: [Closed]
    var scene: Scene
    var notes: Notes

    struct Notes: Codable, Equatable {
      var text: [String: Int]
    }
  }

  @Record struct Waited: Equatable {}
}
