import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// Programs that add verbs: `annals NAME` runs `annals-NAME` from `PATH`.
struct ExternalProgramTests {
  /// The program that is found for a command line, as its path and words; `programs` are those that exist.
  private func found(_ line: String, in folders: String, _ programs: Set<String>) -> String? {
    let words = line.split(separator: " ").map { CommandWord($0) }
    let program = ExternalProgram.find(
      words, command: "annals", verbs: GenericCommand.verbs.map { $0.name }, folders: Array(folders.utf8)
    ) { programs.contains(String(decoding: $0, as: UTF8.self)) }
    return program.map { program in
      ([CommandWord(program.path)] + program.words).map(\.description).joined(separator: " ")
    }
  }

  @Test(
    arguments: [
      ("moving in --out x", "/a:/b", "/b/annals-moving in --out x"),
      ("moving", "/a:/b:/c", "/b/annals-moving"),
      ("info x", "/a:/b", nil), ("other", "/a:/b", nil), ("--moving", "/a:/b", nil), ("", "/a:/b", nil),
      ("help", "/a:/b", nil), ("../b/annals-moving", "/a:/b", nil), ("moving", "", nil),
      ("moving", "::", nil), ("completions bash", "/a:/b", nil), ("manual", "/a:/b", nil),
    ] as [(String, String, String?)])
  func `the first program of a name is found, and a verb of the command wins`(
    line: String, folders: String, program: String?
  ) {
    let programs: Set = [
      "/b/annals-moving", "/c/annals-moving", "/b/annals-info", "/b/annals-help", "/annals-moving",
      "/b/annals-completions", "/b/annals-manual",
    ]
    #expect(found(line, in: folders, programs) == program)
  }

  /// Runs `annals` with a folder of programs in front of `PATH`.
  private func run(_ line: String, in folder: TemporaryDirectory) throws -> SpawnedProgram {
    let tool = String(decoding: Array((BuiltTool.path ?? "").utf8), as: UTF8.self)
    let script = "PATH=\"$PWD:$PATH\"; export PATH; exec '\(tool)' \(line)"
    return try SpawnedProgram("/bin/sh", [Array("-c".utf8), Array(script.utf8)], in: folder)
  }

  private func program(_ name: String, _ script: String, in folder: TemporaryDirectory) throws {
    let path = try folder.write(name, "#!/bin/sh\n\(script)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  @Test(.enabled(if: BuiltTool.path != nil, "the executable is not next to the test bundle"))
  func `arguments and the exit status pass unchanged, and signals end the command`() throws {
    let folder = try TemporaryDirectory()
    try program(
      "annals-hello", #"for word; do printf '[%s]' "$word" | od -An -tx1 | tr -d ' \n'; echo; done; exit 42"#,
      in: folder)
    let run = try run(#"hello 'a b' '' --json -- "$(printf '\377')" '*'"#, in: folder)
    #expect(run.status == 42)
    #expect(run.output == "5b6120625d\n5b5d\n5b2d2d6a736f6e5d\n5b2d2d5d\n5bff5d\n5b2a5d\n")
    #expect(run.errors == "")
    try program("annals-killed", "kill -USR1 $$", in: folder)
    #expect(try self.run("killed", in: folder).status == 128 + Int32(SIGUSR1))
  }

  @Test(.enabled(if: BuiltTool.path != nil, "the executable is not next to the test bundle"))
  func `a verb of the command, an unknown one and a file that is no program are as before`() throws {
    let folder = try TemporaryDirectory()
    try program("annals-info", "exit 42", in: folder)
    #expect(try run("info nowhere.annals", in: folder).status == 66)
    _ = try folder.write("annals-text", "no program")
    _ = try folder.directory("annals-folder")
    for name in ["text", "folder", "unknown"] {
      let run = try run(name, in: folder)
      #expect(run.status == 64)
      #expect(run.errors.hasPrefix("annals: wrongUse: unknown verb '\(name)'\nusage: annals <verb>"))
    }
    try program("annals-broken", "", in: folder)
    try Data("#!/nowhere/interpreter\n".utf8).write(to: folder.url.appending(path: "annals-broken"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.path("annals-broken"))
    let broken = try run("broken", in: folder)
    #expect(broken.status == 74 && broken.errors.contains("running '"), "\(broken.errors)")
  }
}
