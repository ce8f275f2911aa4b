import Annals
import Foundation

/// A rolling deployment: servers of two versions, each a process of its own, append to one store.
@main enum Deployment {
  static func main() async throws {
    if CommandLine.arguments.count == 3 {
      do {
        try await serve(CommandLine.arguments[1], URL(filePath: CommandLine.arguments[2]))
      } catch let error as AnnalsError {
        print("cannot start: \(error.code)")
      }
    } else {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try deploy(folder.appending(path: "scales.annals"))
    }
  }

  /// Runs as the server that the arguments name.
  static func serve(_ version: String, _ url: URL) async throws {
    if version == "old" {
      await Server(store: try EventStore(at: url, plan: OldPlan.self)) { parcel, weight in
        .weighed(.init(parcel: parcel, pounds: weight))
      } text: { event in
        switch event {
        case .weighed(let weighed): "\(weighed.parcel) \(rounded(weighed.pounds)) lb"
        }
      }.run()
    } else {
      await Server(store: try EventStore(at: url, plan: NewPlan.self)) { parcel, weight in
        .weighed(.init(parcel: parcel, kilograms: weight))
      } text: { event in
        switch event {
        case .weighed(let weighed): "\(weighed.parcel) \(rounded(weighed.kilograms)) kg"
        }
      }.run()
    }
  }

  /// Replaces two old servers by new ones, while requests come in.
  static func deploy(_ url: URL) throws {
    func ask(_ server: ServerProcess, _ name: String, _ request: String) throws {
      print("  \(name) > \(request)\n    \(try server.ask(request))")
    }
    print("Two servers of the old version")
    let (oldA, oldB) = (try ServerProcess("old", url), try ServerProcess("old", url))
    try ask(oldA, "old A", "weigh tea 2")
    try ask(oldB, "old B", "weigh cups 5")

    print("A is replaced; both versions append, and each reads everything")
    try oldA.end()
    let newA = try ServerProcess("new", url)
    try ask(newA, "new A", "weigh pots 3")
    try ask(oldB, "old B", "weigh mugs 1")
    try ask(oldB, "old B", "list")
    try ask(newA, "new A", "list")
    try ask(newA, "new A", "activate")

    print("B is replaced; the new version comes into force")
    try oldB.end()
    let newB = try ServerProcess("new", url)
    try ask(newB, "new B", "activate")
    try ask(newB, "new B", "weigh jars 4")
    try ask(newA, "new A", "list")

    print("An old server that comes back does not open the store")
    let late = try ServerProcess("old", url)
    print("  old C\n    \(try late.answer())")
    for server in [late, newA, newB] { try server.end() }
  }
}
