@testable import Annals

/// The race's log as an array, and what its stages make of it: what the library is compared with.
struct LapModel {
  /// An event with its place in the log.
  struct Item: Equatable {
    var position: UInt64
    var stream: String
    var revision: UInt64
    var path: [UInt32] = []
    var fact: LapFact
    /// The version that it is stored under.
    var version = 1

    static func == (left: Item, right: Item) -> Bool {
      left.position == right.position && left.stream == right.stream && left.revision == right.revision
        && left.path == right.path && left.fact == right.fact
    }
  }

  /// The log as it is stored.
  private(set) var log: [Item] = []

  /// Adds an event to the end of a stream.
  mutating func append(_ fact: LapFact, to stream: String, version: Int) {
    log.append(
      Item(
        position: UInt64(log.count + 1), stream: stream,
        revision: UInt64(log.count { $0.stream == stream }), fact: fact, version: version))
  }

  /// What a program of a version reads.
  func read(by version: Int) -> [Item] {
    var items = log.filter { $0.version == 1 }
    for next in 2..<max(version + 1, 2) {
      items = Self.stage(to: next, items)
      items += log.filter { $0.version == next }
      items.sort { ($0.position, $0.path.map(Int.init)) < ($1.position, $1.path.map(Int.init)) }
    }
    return items
  }

  private static func stage(to version: Int, _ items: [Item]) -> [Item] {
    switch version {
    case 2:
      split(items) { fact in
        if case .bundle(let lap, let ns) = fact { ns.map { .tick(lap: lap, n: $0) } } else { nil }
      }
    case 3:
      fold(
        fold(items) { fact -> String?? in
          if case .tick(let lap, _) = fact { .some(lap == 0 ? nil : "\(lap)") } else { nil }
        } result: { facts in
          var (lap, ns) = (0, [Int]())
          for case .tick(let of, let n) in facts { (lap, ns) = (of, ns + [n]) }
          return [.lap(lap, ns)]
        }
      ) { fact -> String?? in
        if case .note(let text) = fact { .some(text) } else { nil }
      } result: { facts in
        guard case .note(let text)? = facts.first, !text.isEmpty else { return [] }
        return [.remark(text, times: facts.count)]
      }
    case 4: longest(items)
    case 5:
      fold(items) { fact -> String?? in
        switch fact {
        case .longLap(let lap, _, _): .some("\(lap / 2)")
        case .remark(let text, _): .some("\(text.utf8.count)")
        default: nil
        }
      } result: { facts in
        let values = facts.map { fact -> Int in
          switch fact {
          case .longLap(_, let ns, let longest): longest + ns.sum()
          case .remark(_, let times): -times
          default: 0
          }
        }
        if values == [-1] { return [] }
        return values.count > 2 ? [.session(values), .summary(values.count)] : [.session(values)]
      }
    case 6:
      split(items) { fact in if case .session(let values) = fact { values.map { .item($0) } } else { nil } }
    default:
      fold(items) { fact -> String?? in
        if case .item(let value) = fact { .some(value < 0 ? nil : "\(value % 3)") } else { nil }
      } result: { facts in
        [.total(facts.map { if case .item(let value) = $0 { value } else { 0 } })]
      }
    }
  }

  private static func longest(_ items: [Item]) -> [Item] {
    let longest = items.map { if case .lap(_, let ns) = $0.fact { ns.count } else { 0 } }.max() ?? 0
    return items.map { item in
      guard case .lap(let lap, let ns) = item.fact else { return item }
      var item = item
      item.fact = .longLap(lap, ns, longest: longest)
      return item
    }
  }

  private static func split(_ items: [Item], _ body: (LapFact) -> [LapFact]?) -> [Item] {
    items.flatMap { item -> [Item] in
      guard let parts = body(item.fact) else { return [item] }
      return parts.enumerated().map { part(of: item, $0.offset, $0.element) }
    }
  }

  /// - Parameter key: `nil` for what is not folded, and `.some(nil)` for a group of its own.
  private static func fold(
    _ items: [Item], _ key: (LapFact) -> String??, result: ([LapFact]) -> [LapFact]
  ) -> [Item] {
    var result0: [Item] = items.filter { key($0.fact) == nil }
    for stream in Set(items.map(\.stream)) {
      var group: [Item] = []
      func end() {
        guard let last = group.last else { return }
        result0 += result(group.map(\.fact)).enumerated().map { part(of: last, $0.offset, $0.element) }
        group = []
      }
      for item in items where item.stream == stream {
        guard let itemKey = key(item.fact) else { continue }
        if let last = group.last, let lastKey = key(last.fact), itemKey == nil || lastKey != itemKey { end() }
        group.append(item)
      }
      end()
    }
    return result0.sorted { ($0.position, $0.path.map(Int.init)) < ($1.position, $1.path.map(Int.init)) }
  }

  private static func part(of item: Item, _ index: Int, _ fact: LapFact) -> Item {
    var item = item
    item.path.append(UInt32(index))
    item.fact = fact
    return item
  }
}

private func < (left: (UInt64, [Int]), right: (UInt64, [Int])) -> Bool {
  left.0 == right.0 ? left.1.lexicographicallyPrecedes(right.1) : left.0 < right.0
}
