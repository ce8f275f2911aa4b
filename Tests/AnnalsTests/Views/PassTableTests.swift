import Testing

@testable import Annals

/// Which views share a way through the log.
struct PassTableTests {
  /// A table that expectations may change.
  private final class Desk {
    private var table: PassTable<Tallies.Event>

    init(_ plan: CompiledPlan) { table = PassTable(plan) }

    func join(_ track: ViewTrack<Tallies.Event>, after position: UInt64) -> [UInt64] {
      let (number, isNew) = table.join(track, after: position)
      return [number, isNew ? 1 : 0]
    }
    func step(of number: UInt64) -> PassTable<Tallies.Event>.Step? { table.step(of: number) }
    func passed(_ number: UInt64, from old: UInt64, to new: UInt64, isLast: Bool) {
      table.passed(number, from: old, to: new, isLast: isLast)
    }
    func merge(_ number: UInt64) -> Bool { table.merge(number) }
    func isLive(_ track: ViewTrack<Tallies.Event>) -> Bool { table.isLive(track) }
    func detach(_ track: ViewTrack<Tallies.Event>, after position: UInt64) -> UInt64? {
      table.detach(track, after: position)
    }
    func end(_ number: UInt64) -> Int { table.end(number).count }
    func leave(_ track: ViewTrack<Tallies.Event>) { table.leave(track) }
  }

  private let tallied: TalliedStore
  private let tracks: [ViewTrack<Tallies.Event>]

  init() async throws {
    tallied = try TalliedStore()
    let store = try tallied.open()
    let shelf = try #require(try ViewShelf.open(in: store.log.core.generation.directory, .readWrite))
    let inputs = ProjectionInputs(store.reach.plan, cases: nil)
    var tracks: [ViewTrack<Tallies.Event>] = []
    let faces = [
      try ProjectionFace<Tallies.Event>(Tallies.Counts.self), try ProjectionFace(Tallies.Pauses.self),
    ]
    for face in faces + faces {
      let file = try shelf.create(face.outline, inputs, isCarrying: false)
      let lease = try #require(try shelf.foldLease(file.number))
      tracks.append(ViewTrack(ViewLine(face), file, lease, at: nil))
    }
    self.tracks = tracks
  }

  @Test("views that are near share a pass, which goes back to the one behind; one that is far has its own")
  func joining() throws {
    let desk = Desk(try CompiledPlan(Tallies.Plan.self))
    #expect(desk.join(tracks[0], after: 40_000) == [1, 1])
    #expect(desk.step(of: 1)?.position == 40_000)
    #expect(desk.join(tracks[1], after: 10) == [1, 0])
    // The page that was being read was not given to the second.
    desk.passed(1, from: 40_000, to: 44_000, isLast: true)
    let step = try #require(desk.step(of: 1))
    #expect(step.position == 10 && step.tracks.count == 2 && !step.haveSeenEnd)
    #expect(desk.join(tracks[2], after: 900_000) == [2, 1])
    desk.passed(1, from: 10, to: 900, isLast: false)
    #expect(desk.step(of: 1)?.position == 900)
    // One that came while a page was read, at the place where it began, is given that page too.
    #expect(desk.join(tracks[3], after: 900) == [1, 0])
    desk.passed(1, from: 900, to: 2_000, isLast: true)
    #expect(desk.step(of: 1)?.position == 900)
    #expect(desk.step(of: 1)?.haveSeenEnd == false)
    desk.passed(1, from: 900, to: 2_000, isLast: true)
    #expect(desk.step(of: 1)?.haveSeenEnd == true)
  }

  @Test(
    "a pass that meets the end of the log gives its views to the one that waits there; a slow view goes its own way"
  )
  func merging() throws {
    let desk = Desk(try CompiledPlan(Tallies.Plan.self))
    _ = desk.join(tracks[0], after: 0)
    _ = desk.step(of: 1)
    desk.passed(1, from: 0, to: 200_000, isLast: true)
    #expect(!desk.merge(1))
    #expect(desk.isLive(tracks[0]))
    #expect(desk.join(tracks[1], after: 0) == [2, 1])
    _ = desk.step(of: 2)
    desk.passed(2, from: 0, to: 199_990, isLast: true)
    #expect(!desk.isLive(tracks[1]))
    #expect(desk.merge(2))
    #expect(desk.step(of: 2) == nil)
    let step = try #require(desk.step(of: 1))
    #expect(step.position == 199_990 && step.tracks.count == 2 && step.isLive)
    #expect(desk.detach(tracks[1], after: 199_990) == 3)
    #expect(desk.detach(tracks[2], after: 5) == nil)
    #expect(desk.step(of: 1)?.tracks.count == 1)
    #expect(desk.step(of: 3)?.position == 199_990)
    desk.leave(tracks[0])
    #expect(desk.step(of: 1) == nil)
  }

  @Test("nobody joins a pass that could not be begun")
  func failing() throws {
    let desk = Desk(try CompiledPlan(Tallies.Plan.self))
    #expect(desk.join(tracks[0], after: 7) == [1, 1])
    #expect(desk.join(tracks[1], after: 7) == [1, 0])
    #expect(desk.end(1) == 2)
    #expect(desk.join(tracks[2], after: 7) == [2, 1])
    #expect(desk.step(of: 1) == nil)
    #expect(desk.end(1) == 0)
  }

  @Test("a pass asks for what its views want, and no more")
  func wanting() throws {
    let desk = Desk(try CompiledPlan(Tallies.Plan.self))
    _ = desk.join(tracks[0], after: 0)
    #expect(desk.step(of: 1)?.wanted == [0])
    _ = desk.join(tracks[1], after: 0)
    #expect(desk.step(of: 1)?.wanted == [0, 1])
    desk.leave(tracks[0])
    #expect(desk.step(of: 1)?.wanted == [1])
  }
}
