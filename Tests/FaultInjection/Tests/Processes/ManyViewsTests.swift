import Foundation
import Testing

/// What many open views cost a process.
@Suite(.serialized) struct ManyViewsTests {
  /// Opens fifty views in a process of its own.
  ///
  /// - Returns: Its threads, descriptors, kibibytes of address space and of memory above those before, and
  ///   the thousandths of a processor while nothing happens.
  private func use(descriptors limit: Int, observes: Bool) throws -> [Int] {
    let temporary = try TemporaryStore()
    let child = try Child.run("many-views", temporary.url.path, "50", "\(limit)", "\(observes)", "2")
    let end = try child.wait()
    let text = child.text()
    try #require(end == .exit(0), "\(text)")
    let numbers = text.split(separator: "\n").compactMap { Int($0) }
    try #require(numbers.count == 5, "\(text)")
    return numbers
  }

  @Test func `Fifty views take few threads and descriptors, and little address space`() throws {
    let numbers = try use(descriptors: 256, observes: false)
    #expect(numbers[0] <= 12, "threads")
    #expect(numbers[1] <= 50 * 4 + 8, "descriptors")
    #expect(numbers[2] <= 4 << 20, "KiB of address space")
  }

  @Test func `Fifty observed views have one thread that looks for commits`() throws {
    let numbers = try use(descriptors: 0, observes: true)
    #expect(numbers[0] <= 12, "threads")
  }
}
