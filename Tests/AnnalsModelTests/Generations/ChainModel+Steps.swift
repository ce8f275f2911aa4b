@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration

extension ChainModel {
  /// Every state that one step leads to.
  func next() -> [ChainModel] {
    guard violation == nil else { return [] }
    var all: [ChainModel] = []
    for index in writers.indices { all += writerSteps(index) }
    all += runnerSteps()
    if killsLeft > 0, runner != .idle {
      var killed = self
      killed.runner = .idle
      killed.isLocked = false
      killed.killsLeft -= 1
      all.append(killed)
    }
    return all.map { state in
      var state = state
      state.check()
      return state
    }
  }

  private func with(_ change: (inout ChainModel) -> Void) -> [ChainModel] {
    var state = self
    change(&state)
    return [state]
  }

  private func writerSteps(_ index: Int) -> [ChainModel] {
    switch writers[index] {
    case .closed:
      guard appendsLeft > 0 else { return [] }
      return with { $0.writers[index] = .walking(named: current, at: current, arrived: nil, hops: 0) }
    case .walking(let named, let at, let arrived, let hops):
      // Its lease is held alone.
      if case .remove(let inUse) = runner, at != inUse, at != files[inUse]?.pass { return [] }
      return with { state in
        switch look(at: at, arrived: arrived, hops: hops) {
        case .follow(let next, let epoch):
          state.writers[index] = .walking(named: named, at: next, arrived: epoch, hops: hops + 1)
        case .use(let epoch), .unseal(let epoch):
          state.writers[index] = .arriving(named: named, at: at, arrived: epoch)
        // The path is gone again. If it leads nowhere at all, the check reports it.
        case .failed: state.writers[index] = .closed
        }
      }
    case .arriving(let named, let at, let arrived):
      return with { $0.writers[index] = named == current ? .attached(at, arrived: arrived) : .closed }
    case .attached(let at, let arrived):
      let left = with { $0.writers[index] = .closed }
      guard appendsLeft > 0, !isLocked else { return left }
      return left + with { $0.write(index, at, arrived) }
    }
  }

  /// A write transaction of an attached writer.
  private mutating func write(_ index: Int, _ at: UInt64, _ arrived: UInt64) {
    guard let file = files[at] else { return violation = "generation \(at) was removed while it was open" }
    switch file.state {
    case .sealed(_, let epoch) where order == .withoutEpochs || epoch > arrived:
      writers[index] = .walking(named: current, at: current, arrived: nil, hops: 0)
    case .sealed:
      files[at]?.state = .live
      files[at]?.epoch = arrived
    case .building: violation = "generation \(at) is in use and under construction"
    case .live:
      if let found = resolved(), found.number != at {
        return violation = "generations \(at) and \(found.number) both take appends"
      }
      files[at]?.entries.append(appendsLeft)
      answered.append(appendsLeft)
      appendsLeft -= 1
    }
  }

  private func runnerSteps() -> [ChainModel] {
    switch runner {
    case .idle:
      var all: [ChainModel] = []
      if passesLeft > 0 { all += with { ($0.passesLeft, $0.runner) = (passesLeft - 1, .prepare(.pass)) } }
      if rollbacksLeft > 0 {
        all += with { ($0.rollbacksLeft, $0.runner) = (rollbacksLeft - 1, .prepare(.rollback)) }
      }
      if discardsLeft > 0 {
        all += with { ($0.discardsLeft, $0.runner) = (discardsLeft - 1, .prepare(.discard)) }
      }
      return all
    case .prepare(let work):
      guard let found = resolved() else { return [] }
      return with { state in
        if found.isStale {
          state.files[found.number]?.state = .live
          state.files[found.number]?.epoch = found.arrived
        }
        state.runner = .record(work)
      }
    case .record(let work):
      guard let found = resolved(), let file = files[found.number] else { return [] }
      return with { state in
        state.current = found.number
        switch work {
        case .pass: state.runner = .clear(found.number)
        case .discard: state.runner = .forget(found.number)
        case .rollback:
          state.runner = .idle
          if file.pass == nil, let older = file.predecessor, files[older] != nil {
            state.runner =
              order == .unsealFirst ? .unsealOlder(older, found.number) : .sealNewer(found.number, older)
          }
        }
      }
    default: return workSteps()
    }
  }

  private func workSteps() -> [ChainModel] {
    with { state in
      switch runner {
      case .clear(let old):
        state.runner = .note(old)
        guard let file = files[old], let other = file.pass else { return }
        let row = PassRow(id: ChainModel.id(other), other: other, plan: [], version: nil)
        let leftover = files[other].map {
          PassLeftover.Other(
            state: $0.meta, epoch: $0.epoch,
            predecessor: $0.predecessor.map { PredecessorRow(generation: $0, last: 0) })
        }
        switch PassLeftover(pass: row, of: old, epoch: file.epoch, other: leftover) {
        case .building, .unswitched, .broken:
          if isLeased(other) { state.violation = "a leftover is open" }
          state.files[other] = nil
        case .row, .none: break
        case .unknown: state.violation = "a leftover is not known"
        }
      case .note(let old):
        if state.isLocked { return }
        state.newest += 1
        state.files[old]?.pass = state.newest
        state.runner = .build(old, state.newest)
      case .build(let old, let new):
        if files[new] != nil { state.violation = "number \(new) is used twice" }
        state.files[new] = File(state: .building(new), entries: files[old]?.entries ?? [])
        state.runner = .lock(old, new)
      case .lock(let old, let new):
        state.isLocked = true
        state.runner = .finish(old, new)
      case .finish(let old, let new):
        let entries = files[old]?.entries ?? []
        state.files[new] = File(
          state: .live, epoch: (files[old]?.epoch ?? 0) + 1, entries: entries, predecessor: old,
          last: entries.count)
        state.runner = .seal(old, new)
        if order == .currentBeforeSeal { state.current = new }
      case .seal(let old, let new):
        state.files[old]?.state = .sealed(new, (files[old]?.epoch ?? 0) + 1)
        state.files[old]?.pass = nil
        state.isLocked = false
        state.runner = .name(new)
      case .name(let number):
        state.current = number
        state.runner = .idle
      case .sealNewer(let newer, let older):
        guard let file = files[newer] else { return }
        let isLate = order != .unsealFirst && file.entries.count != file.last
        if isLate { return state.runner = .idle }
        state.files[newer]?.state = .sealed(older, file.epoch + 1)
        state.runner = order == .unsealFirst ? .name(older) : .unsealOlder(older, newer)
      case .unsealOlder(let older, let newer):
        guard let file = files[newer] else { return }
        if order == .unsealFirst, file.entries.count != file.last { return state.runner = .idle }
        state.files[older]?.state = .live
        state.files[older]?.epoch = file.epoch + 1
        state.runner = order == .unsealFirst ? .sealNewer(newer, older) : .name(older)
      case .forget(let inUse):
        let others = files.keys.filter { $0 != inUse && $0 != files[inUse]?.pass }
        if others.isEmpty || others.contains(where: isLeased) { return state.runner = .idle }
        state.files[inUse]?.predecessor = nil
        state.runner = .remove(inUse)
      case .remove(let inUse):
        for number in files.keys where number != inUse && number != files[inUse]?.pass {
          if isLeased(number) { state.violation = "generation \(number) was removed while it was open" }
          state.files[number] = nil
        }
        state.runner = .idle
      case .idle, .prepare, .record: break
      }
    }
  }
}
