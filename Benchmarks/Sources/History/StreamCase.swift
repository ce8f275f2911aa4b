/// The operations of one stream, and the search for an order that explains them.
///
/// Lengths only grow, and an append that was done says from which length to which it went. So the order is that of the lengths, and an operation
/// takes place as early as it can. Only where no known append leads on is there a choice: one of those whose end is unknown was done there.
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
  /// Where unknown appends began that expect nothing: by their number of entries, the earliest first. Of two that are alike the earlier can stand
  /// wherever the later can.
  private var free: [Int: [Int]] = [:]
  /// Where unknown appends began that expect a length: by that length and their number of entries, the earliest of each.
  private var bound: [Int: [Int: Int]] = [:]
  /// Every length that was found, ascending.
  private var lengths: [Int] = []
  /// Why no order can explain the operations, whatever it is.
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
  /// A place in the search: a length, the earliest line behind which it can have been reached, and how many unknown appends of each number of
  /// entries were done.
  private struct Place {
    var length = 0
    var line = -1
    var used: [Int: Int] = [:]
  }

  /// What tells places apart, but for the line.
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

  /// Follows the known operations from a place as far as they lead; gives the reason where one of them cannot take place.
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
