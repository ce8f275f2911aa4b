import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsStore

/// A club's log as an array, with the result of each stage, without the library's code for streams.
struct ClubModel {
  /// An entry.
  struct Entry {
    enum Kind: CaseIterable { case weighed, lifted, noted }
    let kind: Kind
    let n: Int
    let sets: Int
    let id: UUID?
    let time: Date
    var stream: String
    var revision = 0
    var isGone = false
    /// What a weighing says of its place from the third version on.
    var place: String?

    /// As an event of the first version.
    var event: ClubV1.Event {
      switch kind {
      case .weighed: .weighed(.init(n: n))
      case .lifted: .lifted(.init(n: n, sets: sets))
      case .noted: .noted(.init(n: n))
      }
    }
  }

  /// The entries in the order of their positions.
  private(set) var entries: [Entry] = []
  /// How long the calls were that appended them.
  private var lengths: [Int] = []

  /// The calls that append the entries.
  var calls: [ArraySlice<Entry>] {
    var start = 0
    return lengths.map { length in
      defer { start += length }
      return entries[start..<start + length]
    }
  }

  /// A random log of `count` entries.
  init(seed: UInt64, count: Int) {
    var generator = SeededGenerator(seed: seed)
    let names = (0..<4).flatMap { ["user \($0)", "spare \($0)"] } + ["club", "club", "else"]
    var rest = 0
    for n in 0..<count {
      entries.append(
        Entry(
          kind: Entry.Kind.allCases.randomElement(using: &generator) ?? .noted, n: n,
          sets: Int.random(in: 0..<4, using: &generator),
          id: Bool.random(using: &generator) ? Self.id(n) : nil,
          time: Date(timeIntervalSince1970: 1_700_000_000 + Double(n)),
          stream: names.randomElement(using: &generator) ?? "else"))
      if rest == 0 {
        rest = Int.random(in: 1..<6, using: &generator)
        lengths.append(0)
      }
      lengths[lengths.count - 1] += 1
      rest -= 1
    }
    renumber()
  }

  /// An id with the number of its entry.
  static func id(_ n: Int) -> UUID {
    UUID(uuid: (1, 2, 3, 4, 5, 6, 0x80, 8, 0x80, 0, 0, 0, 0, 0, UInt8(n / 256 % 256), UInt8(n % 256)))
  }

  /// Gives revisions in the order of positions.
  private mutating func renumber() {
    var next: [String: Int] = [:]
    for index in entries.indices {
      entries[index].revision = next[entries[index].stream, default: 0]
      next[entries[index].stream] = entries[index].revision + 1
    }
  }

  /// The log at a version.
  func at(_ version: Int) -> ClubModel {
    var model = self
    if version >= 2 { model.second() }
    if version >= 3 { model.third() }
    if version >= 4 { model.fourth() }
    return model
  }

  private mutating func second() {
    for index in entries.indices {
      let entry = entries[index]
      let words = entry.stream.split(separator: " ")
      let isDropped = entry.kind == .noted && entry.n % 5 == 0
      if isDropped {
        entries[index].isGone = true
      } else if words.count == 2 {
        entries[index].stream = "athlete-\(words[1])"
      } else if entry.stream == "club", entry.kind != .noted {
        entries[index].stream = entry.kind == .weighed ? "weights" : "lifts"
      }
      if entry.kind == .lifted, entry.sets == 0 { entries[index].isGone = true }
    }
    renumber()
  }

  private mutating func third() {
    for index in entries.indices where entries[index].kind == .weighed {
      entries[index].place = "\(entries[index].stream) \(entries[index].revision)"
    }
  }

  private mutating func fourth() {
    let names = ["weights": "lifts", "lifts": "weights", "athlete-0": "even", "athlete-2": "even"]
    for index in entries.indices {
      entries[index].stream = names[entries[index].stream] ?? entries[index].stream
    }
    renumber()
  }

  /// What a reader of the second or a later version gets: a line for each event.
  var delivered: [String] {
    entries.enumerated().flatMap { index, entry -> [String] in
      if entry.isGone { return [] }
      let head = "\(index + 1) \(entry.stream) \(entry.revision) \(entry.id?.uuidString ?? "-")"
      switch entry.kind {
      case .weighed: return ["\(head) [] weighed \(entry.n) \(entry.place ?? "-")"]
      case .noted: return ["\(head) [] noted \(entry.n)"]
      case .lifted: return (0..<entry.sets).map { "\(head) [\($0)] lifted \(entry.n)" }
      }
    }
  }

  /// The place of every entry, including removed ones.
  var places: [String] {
    entries.enumerated().map { "\($0 + 1) \($1.stream) \($1.revision) \($1.isGone)" }
  }
}

/// An event as a line, in the words of ``ClubModel/delivered``.
protocol ClubLine {
  var line: String { get }
}

extension ClubV2.Event: ClubLine {
  var line: String {
    switch self {
    case .weighed(let it): "weighed \(it.n) -"
    case .setLifted(let it): "lifted \(it.n)"
    case .noted(let it): "noted \(it.n)"
    }
  }
}

extension ClubV3.Event: ClubLine {
  var line: String {
    switch self {
    case .weighed(let it): "weighed \(it.n) \(it.place)"
    case .setLifted(let it): "lifted \(it.n)"
    case .noted(let it): "noted \(it.n)"
    }
  }
}

extension ClubV4.Event: ClubLine {
  var line: String {
    switch self {
    case .weighed(let it): "weighed \(it.n) \(it.place)"
    case .setLifted(let it): "lifted \(it.n)"
    case .noted(let it): "noted \(it.n)"
    }
  }
}

extension ClubV5.Event: ClubLine {
  var line: String {
    switch self {
    case .weighed(let it): "weighed \(it.n) \(it.place)"
    case .setLifted(let it): "lifted \(it.n)"
    case .noted(let it): "noted \(it.n)"
    }
  }
}

extension EventStore where Event: ClubLine {
  /// What a reader gets, in the words of ``ClubModel/delivered``.
  func lines() throws -> [String] {
    try read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var all: [String] = []
      while let entry = try entries.next() {
        all.append(
          "\(entry.position) \(entry.stream) \(entry.revision) \(entry.id?.uuidString ?? "-") \(entry.path) \(entry.event.line)"
        )
      }
      return all
    }
  }
}

extension EventLog {
  /// The place of every entry, in the format of ``ClubModel/places``, by a scan and again stream by stream.
  func places() throws -> (scanned: [String], walked: [String]) {
    try read { (snapshot) throws(AnnalsError) in
      func line(_ entry: LogEntry) -> String {
        var isGone = false
        if case .stub = entry.content { isGone = true }
        return "\(entry.position) \(entry.stream) \(entry.revision) \(isGone)"
      }
      let all = try snapshot.all()
      var walked: [(Position, String)] = []
      for stream in Set(all.map(\.stream)) {
        for entry in try snapshot.all(in: stream) { walked.append((entry.position, line(entry))) }
      }
      return (all.map(line), walked.sorted { $0.0 < $1.0 }.map(\.1))
    }
  }
}
