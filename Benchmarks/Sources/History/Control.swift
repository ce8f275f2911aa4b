/// A way to make a good history wrong, which a judge that works must notice.
public enum Control: String, CaseIterable, Sendable {
  /// An append that was done is said to have ended where another did.
  case lostUpdate = "an append ends where another did"
  /// A read does not find an append that was done before it began.
  case staleRead = "a read misses an append that was done before"
  /// A read finds more than was ever appended.
  case phantomRead = "a read finds what nobody appended"

  /// The history, made wrong in one place; `nil` where it has no such place.
  public func spoil(_ history: [HistoryLine]) -> [HistoryLine]? {
    switch self {
    case .lostUpdate: lostUpdate(history)
    case .staleRead: staleRead(history)
    case .phantomRead: phantomRead(history)
    }
  }

  /// Two appends of equal size that end at one length begin at one length, which only one can leave.
  private func lostUpdate(_ history: [HistoryLine]) -> [HistoryLine]? {
    var counts: [Int: Int] = [:]
    var seen: [String: [Int: Int]] = [:]
    for (number, line) in history.enumerated() {
      switch line.value {
      case .asked(let count, _): counts[line.process] = count
      case .next(let next):
        guard let count = counts[line.process] else { return nil }
        if let earlier = seen[line.key]?[count] {
          var spoiled = history
          spoiled[number].value = .next(earlier)
          return spoiled
        }
        seen[line.key, default: [:]][count] = next
      default: break
      }
    }
    return nil
  }

  private func staleRead(_ history: [HistoryLine]) -> [HistoryLine]? {
    var reached: [String: Int] = [:]
    var atBegin: [Int: Int] = [:]
    // The last such read, so that what comes before it must be taken into account.
    var place: (number: Int, length: Int)?
    for (number, line) in history.enumerated() {
      switch (line.type, line.value) {
      case (.invoke, .nothing): atBegin[line.process] = reached[line.key]
      case (_, .next(let next)): reached[line.key] = max(reached[line.key] ?? 0, next)
      case (_, .length):
        guard let least = atBegin[line.process] else { continue }
        place = (number, least - 1)
      default: break
      }
    }
    guard let place else { return nil }
    var spoiled = history
    spoiled[place.number].value = .length(place.length)
    return spoiled
  }

  private func phantomRead(_ history: [HistoryLine]) -> [HistoryLine]? {
    guard let number = history.lastIndex(where: { if case .length = $0.value { true } else { false } }) else {
      return nil
    }
    let asked = history.reduce(1) { sum, line in
      guard line.type == .invoke, case .asked(let count, _) = line.value else { return sum }
      return sum + count
    }
    var spoiled = history
    spoiled[number].value = .length(asked)
    return spoiled
  }
}
