@testable import Annals

/// The content of an event of the race, regardless of its version.
enum LapFact: Equatable {
  case tick(lap: Int, n: Int)
  case note(String)
  case bundle(lap: Int, [Int])
  case beat(Int)
  case lap(Int, [Int])
  case remark(String, times: Int)
  case longLap(Int, [Int], longest: Int)
  case session([Int])
  case summary(Int)
  case item(Int)
  case total([Int])
}

/// An event that says what it is.
protocol LapEvent: SchemaEvent {
  var fact: LapFact { get }
}

extension Laps1.Event: LapEvent {
  var fact: LapFact {
    switch self {
    case .ticked(let tick): .tick(lap: tick.lap, n: tick.n)
    case .noted(let note): .note(note.text)
    case .bundled(let bundle): .bundle(lap: bundle.lap, bundle.ns)
    case .beat(let beat): .beat(beat.n)
    }
  }
}

extension Laps2.Event: LapEvent {
  var fact: LapFact {
    switch self {
    case .ticked(let tick): .tick(lap: tick.lap, n: tick.n)
    case .noted(let note): .note(note.text)
    case .beat(let beat): .beat(beat.n)
    }
  }
}

extension Laps3.Event: LapEvent {
  var fact: LapFact {
    switch self {
    case .lapped(let lap): .lap(lap.lap, lap.ns)
    case .remarked(let remark): .remark(remark.text, times: remark.times)
    case .beat(let beat): .beat(beat.n)
    }
  }
}

extension Laps4.Event: LapEvent {
  var fact: LapFact {
    switch self {
    case .lapped(let lap): .longLap(lap.lap, lap.ns, longest: lap.longest)
    case .remarked(let remark): .remark(remark.text, times: remark.times)
    case .beat(let beat): .beat(beat.n)
    }
  }
}

extension Laps5.Event: LapEvent {
  var fact: LapFact {
    switch self {
    case .session(let session): .session(session.values)
    case .summary(let summary): .summary(summary.count)
    case .beat(let beat): .beat(beat.n)
    }
  }
}

extension Laps6.Event: LapEvent {
  var fact: LapFact {
    switch self {
    case .item(let item): .item(item.value)
    case .summary(let summary): .summary(summary.count)
    case .beat(let beat): .beat(beat.n)
    }
  }
}

extension Laps7.Event: LapEvent {
  var fact: LapFact {
    switch self {
    case .total(let total): .total(total.values)
    case .summary(let summary): .summary(summary.count)
    case .beat(let beat): .beat(beat.n)
    }
  }
}
