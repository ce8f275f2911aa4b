@testable import Annals

/// A log of a race, whose plan folds, splits and uses a context: the stages before and after a fold.
@Schema(1, 0, 0) enum Laps1 {
  @Record struct Ticked: Equatable {
    var lap: Int
    var n: Int
  }
  @Record struct Noted: Equatable { var text: String }
  @Record struct Bundled: Equatable {
    var lap: Int
    var ns: [Int]
  }
  @Record struct Beat: Equatable { var n: Int }
}

/// Bundles have become ticks.
@Schema(2, 0, 0) enum Laps2 {
  typealias Ticked = Laps1.Ticked
  typealias Noted = Laps1.Noted
  typealias Beat = Laps1.Beat
}

/// Ticks have become laps, and repeated notes remarks.
@Schema(3, 0, 0) enum Laps3 {
  @Record struct Lapped: Equatable {
    var lap: Int
    var ns: [Int]
  }
  @Record struct Remarked: Equatable {
    var text: String
    var times: Int
  }
  typealias Beat = Laps1.Beat
}

/// Laps know the longest one of the whole log.
@Schema(4, 0, 0) enum Laps4 {
  @Record struct Lapped: Equatable {
    var lap: Int
    var ns: [Int]
    var longest: Int
  }
  typealias Remarked = Laps3.Remarked
  typealias Beat = Laps1.Beat
}

/// Laps and remarks have become sessions and their summaries.
@Schema(5, 0, 0) enum Laps5 {
  @Record struct Session: Equatable { var values: [Int] }
  @Record struct Summary: Equatable { var count: Int }
  typealias Beat = Laps1.Beat
}

/// Sessions have become items.
@Schema(6, 0, 0) enum Laps6 {
  @Record struct Item: Equatable { var value: Int }
  typealias Summary = Laps5.Summary
  typealias Beat = Laps1.Beat
}

/// Items have become totals.
@Schema(7, 0, 0) enum Laps7 {
  @Record struct Total: Equatable { var values: [Int] }
  typealias Summary = Laps5.Summary
  typealias Beat = Laps1.Beat
}

/// What laps are gathered in.
private struct LapSoFar {
  var lap = 0
  var ns: [Int] = []
}

/// The stages of the race, one after the other.
enum LapStages {
  static let second = MigrationStage.custom(fromVersion: Laps1.self, toVersion: Laps2.self) {
    Split(\.bundled, into: [\.ticked]) { old, _ in old.ns.map { .ticked(.init(lap: old.lap, n: $0)) } }
  }

  static let third = MigrationStage.custom(fromVersion: Laps2.self, toVersion: Laps3.self) {
    Fold(\.ticked, into: \.lapped, grouping: { old, _ in old.lap == 0 ? nil : old.lap }, from: LapSoFar()) {
      lap, old, _ in
      lap.lap = old.lap
      lap.ns.append(old.n)
    } result: { lap, _ in
      .init(lap: lap.lap, ns: lap.ns)
    }
    Fold(
      \.noted, into: [\.remarked], grouping: { old, _ in old.text }, from: (text: "", times: 0),
      emptyBecause: "nothing was said"
    ) { remark, old, _ in
      remark = (old.text, remark.times + 1)
    } result: { remark, _ in
      remark.text.isEmpty ? [] : [.remarked(.init(text: remark.text, times: remark.times))]
    }
  }

  static let fourth = MigrationStage.custom(
    fromVersion: Laps3.self, toVersion: Laps4.self,
    prepare: { history in
      try history.reduce(into: 0) { longest, entry in
        if case .lapped(let lap) = entry.event { longest = max(longest, lap.ns.count) }
      }
    }
  ) {
    Upcast(\.lapped, to: \.lapped) { old, _, longest in
      .init(lap: old.lap, ns: old.ns, longest: longest)
    }
  }

  static let fifth = MigrationStage.custom(fromVersion: Laps4.self, toVersion: Laps5.self) {
    Fold(
      [\.lapped, \.remarked], into: [\.session, \.summary],
      grouping: { event, _ in
        switch event {
        case .lapped(let lap): lap.lap / 2
        case .remarked(let remark): remark.text.utf8.count
        case .beat: nil
        }
      }, from: [Int]()
    ) { values, event, _ in
      switch event {
      case .lapped(let lap): values.append(lap.ns.reduce(lap.longest, +))
      case .remarked(let remark): values.append(-remark.times)
      case .beat: break
      }
    } result: { values, _ in
      if values == [-1] { return [] }
      let session = Laps5.Event.session(.init(values: values))
      return values.count > 2 ? [session, .summary(.init(count: values.count))] : [session]
    }
  }

  static let sixth = MigrationStage.custom(fromVersion: Laps5.self, toVersion: Laps6.self) {
    Split(\.session, into: [\.item]) { old, _ in old.values.map { .item(.init(value: $0)) } }
  }

  static let seventh = MigrationStage.custom(fromVersion: Laps6.self, toVersion: Laps7.self) {
    Fold(\.item, into: \.total, grouping: { old, _ in old.value < 0 ? nil : old.value % 3 }, from: [Int]()) {
      values, old, _ in
      values.append(old.value)
    } result: { values, _ in
      .init(values: values)
    }
  }
}

enum LapPlan1: SchemaMigrationPlan {
  static var stages: MigrationChain<Laps1, Laps1> {}
}
enum LapPlan2: SchemaMigrationPlan {
  static var stages: MigrationChain<Laps1, Laps2> { LapStages.second }
}
enum LapPlan3: SchemaMigrationPlan {
  static var stages: MigrationChain<Laps1, Laps3> {
    LapStages.second
    LapStages.third
  }
}
enum LapPlan4: SchemaMigrationPlan {
  static var stages: MigrationChain<Laps1, Laps4> {
    LapStages.second
    LapStages.third
    LapStages.fourth
  }
}
enum LapPlan5: SchemaMigrationPlan {
  static var stages: MigrationChain<Laps1, Laps5> {
    LapStages.second
    LapStages.third
    LapStages.fourth
    LapStages.fifth
  }
}
enum LapPlan6: SchemaMigrationPlan {
  static var stages: MigrationChain<Laps1, Laps6> {
    LapStages.second
    LapStages.third
    LapStages.fourth
    LapStages.fifth
    LapStages.sixth
  }
}
enum LapPlan7: SchemaMigrationPlan {
  static var stages: MigrationChain<Laps1, Laps7> {
    LapStages.second
    LapStages.third
    LapStages.fourth
    LapStages.fifth
    LapStages.sixth
    LapStages.seventh
  }
}
