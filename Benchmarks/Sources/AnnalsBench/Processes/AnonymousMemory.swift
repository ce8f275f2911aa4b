#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory of this process that belongs to no file.
enum AnonymousMemory {
  /// The memory now, in KiB (`RssAnon`).
  static func kibibytes() throws -> Int {
    let status: String
    do { status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8) } catch {
      throw Skipped(reason: "this system does not say how much memory a process has")
    }
    for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if let number = words.dropFirst().first.flatMap({ Int($0) }) { return number }
    }
    throw Skipped(reason: "this system does not tell anonymous memory apart")
  }

  /// The peak of the memory while `body` runs, in KiB, by a look each millisecond.
  static func peak(during body: () async throws -> Void) async throws -> Int {
    let watch = Task {
      var peak = 0
      while !Task.isCancelled {
        peak = max(peak, try kibibytes())
        usleep(1_000)
      }
      return max(peak, try kibibytes())
    }
    do { try await body() } catch {
      watch.cancel()
      throw error
    }
    watch.cancel()
    return try await watch.value
  }
}
