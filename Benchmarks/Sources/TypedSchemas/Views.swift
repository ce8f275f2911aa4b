public import Annals

/// Counts the events of each stream.
public enum StreamCounts: Projection {
  public typealias Event = Stored.Event
  @Record public struct Count: ProjectionRow, Equatable {
    public var stream: String
    public var events: Int
    public var key: String { stream }
  }

  public static let name = "stream-counts"
  public static let version = 1
  public static var tables: [ProjectionTable] { [.rows(Count.self)] }

  public static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let stream = entry.stream.text
    try rows.update(Count.self, stream, initial: Count(stream: stream, events: 0)) { $0.events += 1 }
  }
}

/// Adds up the repetitions of each stream.
public enum StreamSums: Projection {
  public typealias Event = Stored.Event
  @Record public struct Sum: ProjectionRow, Equatable {
    public var stream: String
    public var reps: Int
    public var weight: Double
    public var key: String { stream }
  }

  public static let name = "stream-sums"
  public static let version = 1
  public static var tables: [ProjectionTable] { [.rows(Sum.self)] }

  public static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let set: Stored.SetLogged
    switch entry.event {
    case .setLogged(let logged): set = logged
    }
    let stream = entry.stream.text
    try rows.update(Sum.self, stream, initial: Sum(stream: stream, reps: 0, weight: 0)) {
      $0.reps += set.reps
      $0.weight += set.weight
    }
  }
}

/// The repetitions of one stream.
public enum Sets: Aggregate {
  public typealias Event = Stored.Event
  @Record public struct State {
    public var reps: Int = 0
  }

  public static let name = "sets"
  public static let version = 1
  public static var initial: State { State() }

  public static func apply(_ entry: Entry<Event>, to state: inout State) {
    switch entry.event {
    case .setLogged(let logged): state.reps += logged.reps
    }
  }
}

/// Files of a repository that come, change and go.
@Schema(1, 0, 0) public enum Repository {
  @Record public struct FileChanged: Equatable {
    public var path: String
    public var mode: String?
    public var blob: String?
  }
}

/// What is in the repository: path to blob.
public enum FileTree: Projection {
  public typealias Event = Repository.Event
  @Record public struct File: ProjectionRow, Equatable {
    public var path: String
    public var mode: String
    public var blob: String
    public var key: String { path }
  }

  public static let name = "file-tree"
  public static let version = 1
  public static var tables: [ProjectionTable] { [.rows(File.self)] }

  public static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .fileChanged(let change):
      if let mode = change.mode, let blob = change.blob {
        try rows.put(File(path: change.path, mode: mode, blob: blob))
      } else {
        try rows.delete(File.self, change.path)
      }
    }
  }
}
