/// The operations of one stream, and the search for an order that explains them.
///
/// Lengths only grow, and a successful append says from which length to which it went. The operations are
/// therefore ordered by length, and each takes place as early as it can. A choice exists only where no known
/// append leads on: an append with an unknown end took place there.
struct StreamCase {
  /// An operation that was done, by the lines between which it took place.
  private struct Known {
    let begun, ended: Int
    let next: Int
  }

  /// Appends that were done, by the length that they found.
  private var appends: [Int: Known] = [:]
  /// Reads and refusals, by the length that they found.
  private var looks: [Int: [Known]] = [:]
  /// The beginnings of unknown appends without an expectation, by number of entries, the earliest first.
  ///
  /// Of two equal appends, the earlier fits wherever the later does.
  private var free: [Int: [Int]] = [:]
  /// The beginnings of unknown appends that expect a length, by that length and their number of entries; the
  /// earliest of each.
  private var bound: [Int: [Int: Int]] = [:]
  /// Every length that was found, ascending.
  private var lengths: [Int] = []
  /// The reason why no order of any kind can explain the operations.
  private var contradiction: String?

  init(_ operations: [Operation]) {
    for operation in operations { take(operation) }
    free = free.mapValues { $0.sorted() }
    lengths = Set(appends.keys).union(looks.keys).union(appends.values.map(\.next)).sorted()
    for (length, following) in zip(lengths, lengths.dropFirst()) {
      if let append = appends[length], append.next > following {
        contradiction =
          "line \(append.ended + 1): an append went from length \(length) to \(append.next), but \(following) was found"
      }
    }
  }

  private mutating func take(_ operation: Operation) {
    func known(_ next: Int) -> Known {
      Known(begun: operation.begun, ended: operation.ended, next: next)
    }
    let line = "line \(operation.ended == .max ? operation.begun + 1 : operation.ended + 1)"
    switch operation.outcome {
    case .read(let length): looks[length, default: []].append(known(length))
    case .refused(let expect, let actual):
      if expect == nil { contradiction = "\(line): an append that expects nothing was refused" }
      if expect == actual {
        contradiction = "\(line): an append was refused although the stream was as expected"
      }
      looks[actual, default: []].append(known(actual))
    case .appended(let count, let expect, let next):
      let start = next - count
      if start < 0 || (expect ?? start) != start {
        contradiction = "\(line): an append of \(count) entries ends at length \(next), where it cannot"
      }
      if appends.updateValue(known(next), forKey: start) != nil {
        contradiction = "\(line): two appends were done at length \(start)"
      }
    case .unknown(let count, nil): free[count, default: []].append(operation.begun)
    case .unknown(let count, let expect?):
      bound[expect, default: [:]][count] = min(bound[expect]?[count] ?? .max, operation.begun)
    }
  }
}

extension StreamCase {
  /// A place in the search.
  ///
  /// It consists of a length, the earliest line after which it can have been reached, and the number of
  /// unknown appends used, by their number of entries.
  private struct Place {
    var length = 0
    var line = -1
    var used: [Int: Int] = [:]
  }

  /// The values that identify a place, except for its line.
  private struct Mark: Hashable {
    let length: Int
    let used: [Int: Int]
  }

  /// Why no order explains the operations; `nil` where one does.
  var objection: String? {
    if let contradiction { return contradiction }
    var farthest = "the stream cannot be empty at first"
    var reached = -1
    var earliest: [Mark: Int] = [:]
    var open = [Place()]
    while var place = open.popLast() {
      if let reason = goOn(&place) {
        if place.length > reached { (reached, farthest) = (place.length, reason) }
        continue
      }
      guard let wanted = lengths.first(where: { $0 > place.length }) else { return nil }
      // To have been here earlier is at least as good.
      let mark = Mark(length: place.length, used: place.used)
      if let known = earliest[mark], known <= place.line { continue }
      earliest[mark] = place.line
      let choices = choices(at: place, upTo: wanted)
      if choices.isEmpty, place.length > reached {
        (reached, farthest) = (
          place.length, "nothing leads from length \(place.length) to \(wanted), which was found"
        )
      }
      open += choices
    }
    return farthest
  }

  /// Follows the known operations from a place as far as possible; returns the reason if one cannot fit.
  private func goOn(_ place: inout Place) -> String? {
    while true {
      let arrival = place.line
      for look in looks[place.length] ?? [] {
        guard arrival < look.ended else {
          return "line \(look.ended + 1) found length \(place.length), which was reached only later"
        }
        place.line = max(place.line, look.begun)
      }
      guard let append = appends[place.length] else { return nil }
      guard place.line < append.ended else {
        return
          "line \(append.ended + 1) left length \(place.length) behind, which was found later by another operation"
      }
      place.line = max(place.line, append.begun)
      place.length = append.next
    }
  }

  /// Where the unknown appends lead that may have been done at a place, none beyond a length that was found.
  private func choices(at place: Place, upTo wanted: Int) -> [Place] {
    let room = wanted - place.length
    var choices: [Place] = []
    for (count, begun) in bound[place.length] ?? [:] where count <= room {
      var next = place
      next.length += count
      next.line = max(next.line, begun)
      choices.append(next)
    }
    for (count, begun) in free where count <= room {
      let used = place.used[count] ?? 0
      guard used < begun.count else { continue }
      var next = place
      next.length += count
      next.line = max(next.line, begun[used])
      next.used[count] = used + 1
      choices.append(next)
    }
    return choices
  }
}
