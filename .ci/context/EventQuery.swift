// from History
enum Selecting {
  typealias Event = HistoryV3.Event
// here
}
