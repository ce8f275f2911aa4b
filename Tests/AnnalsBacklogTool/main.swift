import Foundation

// Measures how fast a machine applies a backlog of small calls, against a store of one machine:
//
//     swift run -c release BacklogTool DIRECTORY CALLS ROUNDS
//
// The ways take turns in each round. The ratios are to the plain store with calls of 1,000 events.
let words = CommandLine.arguments
guard words.count == 4, let calls = Int(words[2]), let rounds = Int(words[3]), calls >= 1_000, rounds > 0
else {
  print("usage: BacklogTool DIRECTORY CALLS ROUNDS, with 1,000 calls or more")
  exit(2)
}
// A directory of its own, which is removed at the end.
let directory = URL(filePath: words[1], directoryHint: .isDirectory).appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
let backlog = try await Backlog(calls, in: directory)
var results: [Backlog.Way: [(rate: Double, processor: Double)]] = [:]
for _ in 0..<rounds {
  for way in Backlog.Way.allCases { results[way, default: []].append(try await backlog.run(way)) }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

for way in Backlog.Way.allCases {
  let (own, other) = (results[way, default: []], results[.thousands, default: []])
  let rate = Int(median(own.map(\.rate)))
  let ratio = rounded(median(zip(own, other).map { $0.rate / $1.rate }))
  let processor = rounded(median(own.map(\.processor)))
  print("\(way.rawValue): \(rate) events a second, ratio \(ratio), \(processor) µs of processor each")
}
