/// How the broker keeps a log.
struct StreamFacts: Equatable, Sendable {
  /// The text that was stored with the stream when it was created; it identifies this log.
  var identity = ""
  var subjects: [String] = []
  var keepsUntilLimits = true
  var isInFiles = true
  var refusesWhenFull = true
  var hasLimits = false
  var hasSources = false
  var isSealed = false
  var answersPublishes = true
  var replicas = 1
  /// The nanoseconds for which the broker recognises ids.
  var recognition: Int64 = 0

  /// The first sequence that the log still has, or the next one if it is empty.
  var first: UInt64 = 0
  /// The last sequence that was given; 0 for none.
  var last: UInt64 = 0
  /// The number of messages that were removed between the first and the last.
  var removed: UInt64 = 0
  /// The name of the server that leads the log; empty on a single server.
  var leader = ""
  var bytes: UInt64 = 0
}
