import Foundation

/// The matches that are next to the package on some machines, in part or in full, and their judge.
///
/// A debug build takes every twentieth match, a release build all.
struct CricketMatches {
  /// One in this many matches is taken.
  #if DEBUG
    static let step = 20
  #else
    static let step = 1
  #endif

  /// The interpreter that the judge needs; `nil` if it is not installed.
  static let python: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(filePath: "\($0)/python3") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  /// Whether the matches and the interpreter exist.
  static let isThere =
    python != nil && FileManager.default.fileExists(atPath: folder.appending(path: "log.jsonl.gz").path)

  private static let folder = SharedData.folder.appending(path: "cricket-ipl")
  private let place: URL

  /// Unpacks the matches into the folder `place`.
  init(in place: URL) throws {
    self.place = place
    let script = """
      import gzip, sys
      folder, place, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
      def matches(name):
        seen = {}
        for line in gzip.open(folder + '/' + name, 'rb'):
          stream = line.split(b'"stream":"', 1)[1].split(b'"', 1)[0]
          if seen.setdefault(stream, len(seen)) % step == 0: yield line
      with open(place + '/log.jsonl', 'wb') as log, open(place + '/expected-2.jsonl', 'wb') as second:
        for line in matches('log.jsonl.gz'):
          log.write(line)
          if b',"v":2,"ts":' in line: second.write(line)
      with open(place + '/expected-1.jsonl', 'wb') as first:
        first.writelines(matches('expected-v2.jsonl.gz'))
      """
    _ = try Self.run(["-c", script, Self.folder.path, place.path, String(Self.step)])
  }

  /// The events of both formats, as they happened.
  var log: URL { place.appending(path: "log.jsonl") }
  /// The events of the older format, as they read in the newer one.
  var olderAsNewer: URL { place.appending(path: "expected-1.jsonl") }
  /// The events of the newer format.
  var newer: URL { place.appending(path: "expected-2.jsonl") }
  /// The score of every innings.
  var scores: URL { Self.folder.appending(path: "scores.tsv") }

  /// The judge's verdict on `lines`; `isDump` if the command dumped them.
  func judge(_ mode: String, _ reference: URL, _ lines: URL, isDump: Bool = false) throws -> String {
    let judge = SharedData.folder.appending(path: "judge.py")
    return try Self.run(
      [judge.path, mode, reference.path, "--in", lines.path] + (isDump ? ["--annals"] : []))
  }

  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = python
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }
}
