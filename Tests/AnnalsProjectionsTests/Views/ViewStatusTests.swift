import Testing

@testable import Annals
@testable import AnnalsProjections

/// What a view says of itself, and how a program waits for the end of a build.
@Suite struct ViewStatusTests {
  private func status(
    _ state: ViewStatus.State, served: Int? = 2, reason: String? = nil, progress: ViewStatus.Progress? = nil
  ) -> ViewStatus {
    ViewStatus(
      name: "counts", version: 2, servedVersion: served, state: state, position: served == nil ? nil : 40,
      lag: 2, reason: reason, progress: progress)
  }

  @Test func `a status describes the view's activity in one line`() {
    #expect(
      "\(status(.following))" == "view 'counts', version 2: follows the log; at position 40, 2 to go")
    #expect(
      "\(status(.building, served: 1, progress: .init(done: 10, total: 42, began: nil)))"
        == "view 'counts', version 2: is being built; reads have version 1; at position 40, 2 to go; built to 10 of 42 positions"
    )
    #expect(
      "\(status(.stopped(AnnalsError(.ruleFailed, "position 7: no")), served: nil, reason: "its file was damaged"))"
        == "view 'counts', version 2: stopped, ruleFailed: position 7: no; nothing can be read yet; built again because its file was damaged"
    )
  }

  @Test func `states are equal where they say the same`() {
    let error = AnnalsError(.diskFull, "no room")
    #expect(ViewStatus.State.building == .building)
    #expect(ViewStatus.State.following != .readOnly)
    #expect(ViewStatus.State.stopped(error) == .stopped(AnnalsError(.diskFull, "no room")))
    #expect(ViewStatus.State.stopped(error) != .stopped(AnnalsError(.diskFull, "no room at all")))
    #expect(ViewStatus.State.stopped(error) != .following)
  }

  @Test func `a program may wait until a rebuild has finished`() async throws {
    var random = SeededGenerator(seed: 31)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(300, to: store, &random)
    let first = try store.view(Tallies.Counts.self)
    try await first.waitUntilBuilt()
    #expect(try first.read { try $0.all() } == tallied.counts())
    let again = try store.rebuild(Tallies.Counts.self)
    try await again.waitUntilBuilt()
    let status = try again.status()
    #expect(status.state == .following)
    #expect(status.progress == nil)
    #expect(status.servedVersion == 1)
    #expect(try again.read { try $0.all() } == tallied.counts())
  }

  /// Takes no event.
  private enum Refusing: Projection {
    struct No: Error {}
    typealias Event = Tallies.Event
    static let name = "refusing"
    static let version = 1
    static var tables: [ProjectionTable] { Tallies.Counts.tables }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws { throw No() }
  }

  @Test func `waiting for a build that stops throws its error`() async throws {
    var random = SeededGenerator(seed: 32)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(3, to: store, &random)
    let view = try store.view(Refusing.self)
    let error = await #expect(throws: AnnalsError.self) { try await view.waitUntilBuilt() }
    #expect(error?.code == .ruleFailed)
  }
}
