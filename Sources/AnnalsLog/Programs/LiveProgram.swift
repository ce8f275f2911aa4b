public import AnnalsCoding

/// A program that has a store open.
public struct LiveProgram: Hashable, Sendable {
  /// The highest schema version that it reads; `nil` if its lease is unreadable, which counts as below every
  /// version.
  public let version: SchemaVersion?
  /// Whether it skips events of types that only newer versions have.
  public let skipsNewerTypes: Bool
  /// The process id that it recorded, which is valid only on its own machine and in its container; `nil` if
  /// none was recorded.
  public let process: Int32?
  /// The name of its machine, if it is another machine of a cluster; otherwise `nil`.
  public let machine: String?

  /// A program that reads up to `version`.
  package init(
    version: SchemaVersion?, skipsNewerTypes: Bool = false, process: Int32? = nil, machine: String? = nil
  ) {
    self.version = version
    self.skipsNewerTypes = skipsNewerTypes
    self.process = process
    self.machine = machine
  }

  /// Whether it reads no more than versions below `other`.
  package func isBelow(_ other: SchemaVersion) -> Bool { version.map { $0 < other } ?? true }
}

extension LiveProgram: CustomStringConvertible {
  /// The process and the version that it reads.
  public var description: String {
    let process = process.map { "process \($0)" } ?? "a process"
    let who = machine.map { "\(process) on machine \($0)" } ?? process
    return version.map { "\(who), which reads up to \($0)" }
      ?? "\(who), whose lease cannot be read"
  }
}

extension [LiveProgram] {
  /// All of them in words.
  package var list: String { map(\.description).joined(separator: "; ") }
}
