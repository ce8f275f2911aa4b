import Foundation
import Testing

@testable import AnnalsCommand

/// Only `read` and `dump` write the contents of events.
@Suite struct SecrecyTests {
  @Test func `no other verb writes the contents of an event, nor does any message`() async throws {
    let folder = try TemporaryDirectory()
    let secret = "hunter2-Zq7"
    let lines = folder.url.appendingPathComponent("lines.jsonl")
    let store = folder.url.appendingPathComponent("s.annals").path
    let good = #"{"stream":"a","type":"T","data":{"word":"\#(secret)"},"metadata":{"user":"\#(secret)"}}"#
    try Data((good + "\n").utf8).write(to: lines)
    var runs = [await CommandRun("import", store, lines.path)]
    try Data((good + "\n" + good.dropLast(3) + "\n").utf8).write(to: lines)
    runs.append(await CommandRun("import", store, lines.path))
    // The secret is in the store, and the verbs that may write it do.
    #expect(await CommandRun("read", store).output.contains(secret))
    #expect(await CommandRun("dump", store).output.contains(secret))
    for verb in ["info", "streams", "census", "verify"] { runs.append(await CommandRun(verb, store)) }
    let file = URL(fileURLWithPath: store).appendingPathComponent("log-000001.mdb")
    var bytes = try Data(contentsOf: file)
    var start = bytes.startIndex
    while let range = bytes.range(of: Data(secret.utf8), in: start..<bytes.endIndex) {
      bytes[range.upperBound] ^= 0x20
      start = range.upperBound
    }
    try bytes.write(to: file)
    for verb in ["info", "streams", "census", "verify"] { runs.append(await CommandRun(verb, store)) }
    runs.append(await CommandRun("read", store))
    #expect(runs.contains { $0.status == 0 } && runs.count { $0.status != 0 } >= 3)
    for run in runs { #expect(!run.output.contains(secret) && !run.errors.contains(secret), "\(run)") }
  }
}
