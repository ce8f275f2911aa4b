import AnnalsTestSupport
import Foundation
import Synchronization

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// Projections that differ in what they do with erased events.
enum ErasingProjections {
  /// The positions that were passed to the callbacks, by the store's id and the projection's name.
  static let folded = Mutex<[UUID: [Position]]>([:])

  /// Amounts alone: names never reach it.
  enum Amounts: Projection {
    typealias Event = InlineAccountsV1.Event
    @Record struct Amount: ProjectionRow {
      var position: UInt64
      var amount: Int
      var key: UInt64 { position }
    }
    static let name = "amounts"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Amount.self)] }
    static var events: EventQuery<Event> { [\.moved] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .moved(let moved) = entry.event else { return }
      try rows.put(Amount(position: entry.position.rawValue, amount: moved.amount))
    }
  }

  /// A row for each event, which the projection removes itself.
  enum Lines: ErasingProjection {
    typealias Event = InlineAccountsV1.Event
    @Record struct Line: ProjectionRow {
      var position: UInt64
      var account: String
      var text: String
      var key: UInt64 { position }
      static let byAccount = SecondaryKey<Line, String>("account") { $0.account }
      static var secondaryKeys: [any DeclaredKey<Line>] { [byAccount] }
    }
    static let name = "lines"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Line.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if let id = entry.id {
        ErasingProjections.folded.withLock { $0[id, default: []].append(entry.position) }
      }
      try rows.put(
        Line(position: entry.position.rawValue, account: entry.stream.text, text: text(entry.event)))
    }
    static func erase(_ event: ErasedEvent, from rows: inout ProjectionRows) throws {
      try rows.delete(Line.self, event.position.rawValue)
    }
    static func text(_ event: Event) -> String {
      switch event {
      case .opened(let opened): opened.name
      case .moved(let moved): "\(moved.amount)"
      case .closed: "closed"
      }
    }
  }

  /// A projection that cannot take events out of its rows after all.
  enum Unable: ErasingProjection {
    typealias Event = InlineAccountsV1.Event
    @Record struct Total: ProjectionRow {
      var account: String
      var amount: Int
      var key: String { account }
    }
    static let name = "unable"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Total.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .moved(let moved) = entry.event else { return }
      try rows.update(Total.self, entry.stream.text, initial: Total(account: entry.stream.text, amount: 0)) {
        $0.amount += moved.amount
      }
    }
    static func erase(_ event: ErasedEvent, from rows: inout ProjectionRows) throws {
      try rows.delete(Total.self, event.stream.text)
      throw Rejection("the amount is not known")
    }
  }

  /// The holders of accounts, as an inline projection that removes erased holders itself.
  enum Holders: InlineProjection, ErasingProjection {
    typealias Event = InlineAccountsV1.Event
    @Record struct Holder: ProjectionRow {
      var position: UInt64
      var account: String
      var name: String
      var key: UInt64 { position }
      static let byName = SecondaryKey<Holder, String>("name", unique: true) { $0.name }
      static var secondaryKeys: [any DeclaredKey<Holder>] { [byName] }
    }
    static let name = "holders"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Holder.self)] }
    static var events: EventQuery<Event> { [\.opened] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .opened(let opened) = entry.event else { return }
      if let id = entry.id {
        ErasingProjections.folded.withLock { $0[id, default: []].append(entry.position) }
      }
      try rows.put(
        Holder(position: entry.position.rawValue, account: entry.stream.text, name: opened.name))
    }
    static func erase(_ event: ErasedEvent, from rows: inout ProjectionRows) throws {
      try rows.delete(Holder.self, event.position.rawValue)
    }
  }
}
