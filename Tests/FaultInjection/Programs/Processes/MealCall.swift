package import Annals

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An append call of a writer during a pass. Its events follow from the writer and the number alone, in both
/// versions of the plan.
package struct MealCall: Sendable {
  package let writer: Int
  package let number: Int

  /// The call of this number.
  package init(writer: Int, number: Int) {
    self.writer = writer
    self.number = number
  }

  /// The number of events it stores.
  package var count: Int { 1 + number % 3 }

  /// The stream that they are stored in.
  package var stream: StreamName { StreamName(number % 4 == 0 ? "writer \(writer)" : "shared \(number % 4)") }

  /// The id of the event `index`, which encodes its place.
  package func id(_ index: Int) -> UUID {
    WriterCall(writer: writer, number: number, parts: []).id(index)
  }

  private func who(_ index: Int) -> String { "\(writer) \(number) \(index)" }

  /// The number of parts of the event if it was stored as an order of the first version.
  private func dishes(_ index: Int) -> Int { (number + index) % 4 }

  private func note(_ index: Int) -> MealsV1.Noted {
    MealsV1.Noted(
      who: who(index), text: String(repeating: "x", count: number % 17 == 5 ? 5_000 : number % 60))
  }

  private func isNote(_ index: Int) -> Bool { (number + index) % 2 == 0 }

  /// The events as a program of the first version stores them.
  var first: [NewEvent<MealsV1.Event>] {
    (0..<count).map { index in
      NewEvent(
        isNote(index)
          ? .noted(note(index)) : .ordered(.init(guest: who(index), dishes: dishes(index))), id: id(index))
    }
  }

  /// The events as a program of the second version stores them.
  var second: [NewEvent<MealsV2.Event>] {
    (0..<count).map { index in
      NewEvent(
        isNote(index) ? .noted(note(index)) : .served(.init(guest: who(index), dish: -1)), id: id(index))
    }
  }

  /// The possible readings of the event `index` through the plan.
  package func readings(_ index: Int) -> [[String]] {
    let note = note(index)
    if isNote(index) { return [["noted \(note.who) \(note.text.utf8.count)"]] }
    return [
      ["served \(who(index)) -1"], (0..<dishes(index)).map { "served \(who(index)) \($0)" },
    ]
  }
}
