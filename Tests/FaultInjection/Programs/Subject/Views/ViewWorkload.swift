import Annals
import Foundation

/// Works with a view until the power is cut. It builds the view, follows, raises its version, rebuilds it,
/// and begins a version with its rows.
struct ViewWorkload {
  let workload: Workload
  let url: URL
  let journal: CallJournal

  /// The options of the stores: a build commits every few entries.
  static func options(_ durability: StoreOptions.Durability) -> StoreOptions {
    var options = Workload.options(durability)
    options.viewPace.entries = 12
    options.viewPace.building = .zero
    return options
  }

  /// The appends of one session.
  private struct Session {
    /// Those made while the version is built.
    var beside: Range<Int>
    /// Those made while it follows.
    var live: Range<Int>
    /// Those made while it is rebuilt.
    var again: Range<Int>
  }

  func run() async throws {
    switch workload.views {
    case .none: break
    case .all:
      let parts = parts(10)
      try await append(parts[0].lowerBound..<parts[1].upperBound)
      try await fold(
        Cargo<CargoOne>.self, Session(beside: parts[2], live: parts[3], again: parts[4].prefix(0)))
      try await fold(Cargo<CargoTwo>.self, Session(beside: parts[4], live: parts[5], again: parts[6]))
      try await fold(
        Cargo<CargoThree>.self,
        Session(beside: parts[7], live: parts[8].lowerBound..<parts[9].upperBound, again: parts[9].suffix(0)))
    case .last:
      let parts = parts(3)
      try await fold(Cargo<CargoThree>.self, Session(beside: parts[0], live: parts[1], again: parts[2]))
    }
  }

  /// The calls, divided into this many parts.
  private func parts(_ count: Int) -> [Range<Int>] {
    let calls = workload.calls
    return (0..<count).map { part in
      calls.lowerBound + calls.count * part / count..<calls.lowerBound + calls.count * (part + 1) / count
    }
  }

  private func open() throws(AnnalsError) -> EventStore<Harbour> {
    try EventStore(at: url, plan: Harbour.self, options: Self.options(workload.durability))
  }

  /// Appends while no view is open. The store is closed when this returns.
  private func append(_ numbers: Range<Int>) async throws {
    let store = try open()
    for number in numbers { _ = try await append(number, to: store) }
  }

  private func append(_ number: Int, to store: EventStore<Harbour>) async throws -> Position {
    let call = try HarbourCall(number, seed: workload.seed)
    try journal.note(.begin(number))
    let appended = try await call.append(to: store)
    try journal.note(.done(number))
    guard let position = appended.positions.last else { throw Unanswered() }
    return position
  }

  /// An answer without a position.
  private struct Unanswered: Error {}

  /// One session with a version of the view; the store is closed when this returns.
  private func fold<V: CargoVersion>(_ projection: Cargo<V>.Type, _ session: Session) async throws {
    let store = try open()
    try journal.note(.folding(V.number))
    let view = try store.view(projection)
    for number in session.beside { _ = try await append(number, to: store) }
    try await wait(view)
    for number in session.live { try await view.waitUntil(append(number, to: store)) }
    guard !session.again.isEmpty else { return }
    try store.rebuild(projection)
    for number in session.again { try await view.waitUntil(append(number, to: store)) }
    try await wait(view)
  }

  /// Waits until the version of a view serves and nothing is built.
  private func wait<V: CargoVersion>(_ view: View<Cargo<V>>) async throws {
    while true {
      let status = try view.status()
      if status.servedVersion == V.number, status.progress == nil { return }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
