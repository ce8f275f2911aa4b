import Annals
import Foundation
import Testing

@testable import AnnalsMigration

/// Projections that select events by tags, across passes that compute these tags again.
@Suite struct RetagViewTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
  }

  /// Six events, of which the first release tags only the courses of enrolments.
  private func fill() async throws {
    let store = try EventStore(at: place.url, plan: PlainCourses.self)
    try await store.append(
      [
        NewEvent(.enrolled(.init(course: "c1", student: 1)), tags: ["term:1"]),
        NewEvent(.enrolled(.init(course: "c2", student: 2))),
        NewEvent(.planned(.init(courses: ["c2", "c3"], student: 1))),
        NewEvent(.left(.init(course: "c1", student: 1)), tags: ["student:1"]),
        NewEvent(.enrolled(.init(course: "c3", student: 1)), tags: ["student:7"]),
        NewEvent(.pinged(.init(course: "c1"))),
      ], to: "all")
  }

  private func courses(_ view: View<CoursesOfOne>) throws -> [String: Int] {
    try view.read { (snapshot) throws(AnnalsError) in
      Dictionary(
        uniqueKeysWithValues: try snapshot.rows(RowQuery<CoursesOfOne.Course>()).map {
          ($0.course, $0.events)
        })
    }
  }

  /// The rows once the view can be read.
  private func settled(_ view: View<CoursesOfOne>) async throws -> [String: Int] {
    while true {
      do { return try courses(view) } catch let error as AnnalsError where error.code == .busy {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  private static let before = ["c1": 1]
  private static let after = ["c1": 2, "c2": 1, "c3": 2]

  // Promise P193.
  @Test func `a pass that computes tags again has views built again that select by them, and a rollback too`()
    async throws
  {
    try await fill()
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    let view = try store.view(CoursesOfOne.self)
    let other = try store.view(EventsOfFirst.self)
    try await view.waitUntilCaughtUp()
    try await other.waitUntilCaughtUp()
    #expect(try courses(view) == Self.before)
    let files = try viewFiles()
    #expect(try await store.migrate().report().retagged == 4)
    // No read returns rows of the old tags.
    #expect(try await settled(view) == Self.after)
    let (status, untouched) = (try view.status(), try other.status())
    #expect(status.reason?.contains("has changed tags") == true, "\(status)")
    #expect(untouched.reason == nil, "\(untouched)")
    #expect(try viewFiles().max() ?? "" > files.max() ?? "")
    _ = try EventLog.rollback(place.url)
    #expect(try await settled(view) == Self.before)
    try await other.waitUntilBuilt()
    #expect(try await store.migrate().report().retagged == 4)
    #expect(try await settled(view) == Self.after)
    // New events are folded into the same rows, and a pass that changes no tag rebuilds nothing.
    let built = try viewFiles()
    let added = try await store.append([.enrolled(.init(course: "c9", student: 1))], to: "all")
    _ = try await store.log.compact().report()
    try await view.waitUntil(#require(added.position))
    #expect(try courses(view) == Self.after.merging(["c9": 1]) { $1 })
    #expect(try viewFiles().max() == built.max())
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `views of a store that is closed during the pass are built again when it is opened`()
    async throws
  {
    try await fill()
    do {
      let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
      let view = try store.view(CoursesOfOne.self)
      try await view.waitUntilCaughtUp()
      #expect(try courses(view) == Self.before)
    }
    do {
      let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
      #expect(try await store.migrate().report().retagged == 4)
    }
    do {
      let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
      let view = try store.view(CoursesOfOne.self)
      try await view.waitUntilCaughtUp()
      #expect(try courses(view) == Self.after)
    }
    _ = try EventLog.rollback(place.url)
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    let view = try store.view(CoursesOfOne.self)
    try await view.waitUntilCaughtUp()
    #expect(try courses(view) == Self.before)
  }

  @Test func `inline projections are folded by the new tags, and by the old ones after a rollback`()
    async throws
  {
    try await fill()
    var options = StoreOptions()
    options.activating = true
    let store = try EventStore(
      at: place.url, plan: RetaggedToSecond.self, options: options, inline: [InlineCoursesOfOne.self])
    func rows() throws -> [String: Int] {
      try store.read { (snapshot) throws(AnnalsError) in
        Dictionary(
          uniqueKeysWithValues: try snapshot.inline(InlineCoursesOfOne.self).rows(
            RowQuery<CoursesOfOne.Course>()
          )
          .map { ($0.course, $0.events) })
      }
    }
    #expect(try rows() == Self.before)
    #expect(try await store.migrate().report().retagged == 4)
    #expect(try rows() == Self.after)
    _ = try EventLog.rollback(place.url)
    #expect(try rows() == Self.before)
    #expect(try await store.migrate().report().retagged == 4)
    try await store.append([.left(.init(course: "c3", student: 1))], to: "all")
    #expect(try rows() == Self.after.merging(["c3": 3]) { $1 })
  }

  @Test func `a live read by a query goes on with the new tags, and delivers no event twice`() async throws {
    try await fill()
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    let query = EventQuery<RetaggedV2.Event>(tags: ["student:1"])
    var found: [UInt64] = []
    for try await entry in store.subscribe(from: .beginning, to: query) {
      found.append(entry.entry.position.rawValue)
      if found.count == 1 {
        // The first with the tag as it was stored, so that events before it are passed.
        #expect(try await store.migrate().report().retagged == 4)
        try await store.append([.enrolled(.init(course: "c4", student: 1))], to: "all")
      }
      if entry.entry.position == 7 { break }
    }
    // It continues after the page that it had read with the old tags.
    #expect(found == [4, 7] || found == [4, 5, 7], "\(found)")
  }

  /// The numbers of the views' files.
  private func viewFiles() throws -> Set<String> {
    let directory = place.url.appendingPathComponent("views")
    return Set(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".mdb") })
  }
}
