import Foundation

/// Three servers and three programs, of which any one is lost.
@main enum Losses {
  static func main() async throws {
    if CommandLine.arguments.count > 2 {
      try await Machine.run(
        URL(filePath: CommandLine.arguments[1]), Array(CommandLine.arguments.dropFirst(2)))
    } else {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try lose(folder)
    }
  }

  private static func lose(_ folder: URL) throws {
    let names = ["A", "B", "C"]
    let servers = try Servers(in: folder)
    func start(_ index: Int) throws -> MachineProcess {
      try MachineProcess(folder.appending(path: "\(names[index]).annals"), servers.addresses)
    }
    var machines = try (0..<3).map(start)
    defer { for machine in machines { machine.kill() } }
    func ask(_ index: Int, _ request: String) throws {
      print("  \(names[index]) > \(request)\n    \(try machines[index].ask(request))")
    }
    print("Three servers and three programs")
    try ask(0, "book 1A Ann")
    try ask(1, "book 1A Bob")
    try ask(2, "list 1")

    for lost in 0..<3 {
      print("Server \(lost + 1) is killed")
      servers.kill(lost)
      try ask(lost, "book \(lost + 2)A \(["Bob", "Cy", "Dee"][lost])")
      try ask((lost + 1) % 3, "list \(lost + 2)")
      try servers.start(lost)
      print("Server \(lost + 1) is back")
    }

    for lost in 0..<3 {
      print("Program \(names[lost]) is killed")
      machines[lost].kill()
      try ask((lost + 1) % 3, "book \(lost + 5)A \(["Eve", "Flo", "Gus"][lost])")
      machines[lost] = try start(lost)
      print("Program \(names[lost]) is back")
      try ask(lost, "list \(lost + 5)")
      try ask(lost, "book 1A Hal")
    }

    for machine in machines { _ = try machine.ask("list 7") }
    let hashes = Set(try machines.map { try $0.ask("hash") })
    print("All three programs have the same hash: \(hashes.count == 1 ? "yes" : "no")")
  }
}
