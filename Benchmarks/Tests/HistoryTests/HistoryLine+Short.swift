import History

/// Lines about one stream, in few words.
extension HistoryLine {
  static func append(_ process: Int, _ count: Int, expect: Int?) -> HistoryLine {
    line(process, .invoke, .append, .asked(count: count, expect: expect))
  }

  static func lost(_ process: Int, _ count: Int, expect: Int?) -> HistoryLine {
    line(process, .info, .append, .asked(count: count, expect: expect))
  }

  static func appended(_ process: Int, _ next: Int) -> HistoryLine {
    line(process, .ok, .append, .next(next))
  }

  static func refused(_ process: Int, _ actual: Int) -> HistoryLine {
    line(process, .fail, .append, .actual(actual))
  }

  static func read(_ process: Int) -> HistoryLine {
    line(process, .invoke, .read, .nothing)
  }

  static func found(_ process: Int, _ length: Int) -> HistoryLine {
    line(process, .ok, .read, .length(length))
  }

  private static func line(
    _ process: Int, _ type: Kind, _ function: Function, _ value: Value
  ) -> HistoryLine {
    HistoryLine(process: process, type: type, function: function, key: "a", value: value)
  }
}
