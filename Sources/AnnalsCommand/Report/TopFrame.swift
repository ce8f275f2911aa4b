import Annals

/// The live numbers of a store as lines of text: what `top` shows.
struct TopFrame {
  let name: String
  let pulse: StorePulse
  /// How fast the store changes; `nil` after the first look.
  let rate: PulseRate?

  /// The lines, each at most `columns` characters long. At least one line; at most `rows`.
  func lines(rows: Int = .max, columns: Int = .max) -> [String] {
    let room = max(rows, 1)
    let all = head + followers(room: room - head.count)
    return all.prefix(room).map { Self.cut($0, to: columns) }
  }

  private var head: [String] {
    var lines = [
      "\(PlainText.escaped(name))  generation \(pulse.generation)",
      "",
      Self.pair("entries", Quantity.count(pulse.entries), "stored now", "\(speed(\.entries)) entries/s"),
      Self.pair("streams", Quantity.count(pulse.streams), "", "\(byteSpeed)/s of payloads"),
      Self.pair(
        "payloads", Quantity.bytes(pulse.payloadBytes), "readers",
        pulse.readers == 0
          ? "none" : "\(pulse.readers), the oldest lags \(Quantity.count(pulse.oldestReaderLag)) commits"),
      Self.pair(
        "file", "\(Quantity.bytes(pulse.fileBytes)), \(Quantity.bytes(pulse.freeBytes)) free", "map",
        "\(Quantity.bytes(pulse.mapBytes)), \(Quantity.percent(pulse.fileBytes, of: pulse.mapBytes)) used"),
    ]
    if let building = pulse.building { lines.append("a migration pass builds generation \(building)") }
    return lines + [""]
  }

  private func speed(_ value: KeyPath<PulseRate, Double>) -> String {
    rate.map { Quantity.rate($0[keyPath: value]) } ?? "-"
  }

  private var byteSpeed: String {
    rate.map { Quantity.bytes(UInt64(max($0.payloadBytes, 0).rounded())) } ?? "-"
  }

  private static func pair(_ first: String, _ value: String, _ second: String, _ other: String) -> String {
    "\(padded(first, 10))\(padded(value, 26))\(padded(second, 12))\(other)"
  }

  /// The lines about what follows the log, those with the longest lag first if there is no room for all.
  private func followers(room: Int) -> [String] {
    guard !pulse.followers.isEmpty else { return ["no views and no consumers"] }
    let title = Self.row("follows the log", "state", "position", "lag", "per second", "rows")
    var indices = Array(pulse.followers.indices)
    let count = max(room - 1, 0)
    var rest: [String] = []
    if indices.count > count {
      indices.sort { pulse.followers[$0].lag > pulse.followers[$1].lag }
      indices = Array(indices.prefix(max(count - 1, 0)))
      rest = ["and \(pulse.followers.count - indices.count) more"]
    }
    return [title] + indices.map(line) + rest
  }

  private func line(_ index: Int) -> String {
    let follower = pulse.followers[index]
    var name = PlainText.escaped(follower.name)
    if let version = follower.version { name += " \(version)" }
    let state = follower.state ?? "consumer"
    let speed = rate?.followers[index].map(Quantity.rate) ?? "-"
    let rows =
      follower.role == .consumer
      ? (follower.deadLetters > 0 ? "\(follower.deadLetters) dead letters" : "")
      : follower.rows.map { Quantity.count(UInt64(clamping: $0)) } ?? "in the log"
    return Self.row(
      name, state, Quantity.count(follower.position), Quantity.count(follower.lag), speed, rows)
  }

  private static func row(
    _ name: String, _ state: String, _ position: String, _ lag: String, _ speed: String, _ rows: String
  ) -> String {
    "\(padded(cut(name, to: 25), 26))\(padded(state, 10))\(right(position, 14))\(right(lag, 12))\(right(speed, 12))  \(rows)"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }

  /// Returns `text`, or its beginning and a sign that something is missing.
  private static func cut(_ text: String, to columns: Int) -> String {
    guard text.count > columns else { return text }
    return columns < 1 ? "" : String(text.prefix(columns - 1)) + "…"
  }
}
