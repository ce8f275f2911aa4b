/// The comparison of the servers' copies of a log, message by message.
package struct CopyComparison: Equatable, Sendable {
  /// What one server has.
  package struct Copy: Equatable, Sendable {
    /// The name of the server.
    package let server: String
    /// The number of sequences at which it has another message than most of the servers, or none.
    package fileprivate(set) var differing: UInt64 = 0
    /// The first of these sequences.
    package fileprivate(set) var first: UInt64?

    fileprivate mutating func note(_ sequence: UInt64) {
      differing += 1
      first = first ?? sequence
    }
  }

  /// The servers that were compared.
  package private(set) var copies: [Copy]
  /// The number of servers that keep the log.
  package let replicas: Int
  /// The number of sequences that were compared.
  package private(set) var compared: UInt64 = 0
  /// The number of sequences at which no message is the same on most of the servers.
  package private(set) var unsettled: UInt64 = 0
  /// The first of these sequences.
  package private(set) var firstUnsettled: UInt64?

  init(_ servers: [String], replicas: Int) {
    copies = servers.map { Copy(server: $0) }
    self.replicas = replicas
  }

  /// Whether all servers that keep the log were compared and are equal.
  package var isGood: Bool {
    copies.count == replicas && unsettled == 0 && copies.allSatisfy { $0.differing == 0 }
  }

  /// Compares the next sequence.
  ///
  /// - Parameter marks: What identifies the message of each server; `nil` for none.
  mutating func add(_ marks: [CopyMark?]) {
    compared += 1
    let right = marks.first { mark in marks.count { $0 == mark } > replicas / 2 }
    guard let right else {
      unsettled += 1
      firstUnsettled = firstUnsettled ?? compared
      return
    }
    for (index, mark) in marks.enumerated() where mark != right { copies[index].note(compared) }
  }
}
