import Foundation
import Testing

/// The cost of many open views to a process.
@Suite(.serialized) struct ManyViewsTests {
  /// Runs the fault program, which prints a number a line.
  private func numbers(_ count: Int, _ run: (String) throws -> Child) throws -> [Int] {
    let temporary = try TemporaryStore()
    let child = try run(temporary.url.path)
    let end = try child.wait()
    let text = child.text()
    try #require(end == .exit(0), "\(text)")
    let numbers = text.split(separator: "\n").compactMap { Int($0) }
    try #require(numbers.count == count, "\(text)")
    return numbers
  }

  @Test(arguments: [false, true])
  func `Fifty views take few threads and descriptors, and little address space`(observes: Bool) throws {
    let numbers = try numbers(6) { try Child.run("many-views", $0, "50", "256", "\(observes)", "0") }
    #expect(numbers[0] <= 12, "threads")
    #expect(numbers[1] <= 50 * 4 + 8, "descriptors")
    #expect(numbers[2] <= 4 << 20, "KiB of address space")
  }

  @Test func `Fifty observed views and subscriptions of an idle process take below 1 % of a core`() throws {
    let numbers = try numbers(6) { try Child.run("many-views", $0, "50", "0", "true", "4") }
    #expect(numbers[4] < 10, "thousandths of a processor")
    // A loaded machine makes rests longer, never shorter.
    #expect(numbers[5] <= 160, "wakes a second")
  }

  @Test func `Views built at one time never exceed their memory together, and return it when idle`() throws {
    let limit = 64 << 20
    let numbers = try numbers(4) { try Child.run("view-memory", $0, "\(limit)", "10") }
    #expect((limit / 4...limit).contains(numbers[0]), "bytes reserved at the peak")
    #expect(numbers[1] == 0, "bytes reserved while idle")
    #expect(numbers[2] <= limit / 2 / 1024, "KiB of memory while idle")
    #expect(numbers[3] == 10 * 2_000, "rows")
  }
}
