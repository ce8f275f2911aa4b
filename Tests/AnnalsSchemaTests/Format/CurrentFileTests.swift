import Foundation
import Testing

@testable import AnnalsFormat

@Suite struct CurrentFileTests {
  private let current = CurrentFile(
    log: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), generation: 1)

  @Test func `the line names file, log, generation and checksum`() {
    let line = String(decoding: current.encoded(), as: UTF8.self)
    #expect(line.hasPrefix("log-000001.mdb 00010203-0405-0607-0809-0a0b0c0d0e0f 1 "))
    #expect(line.hasSuffix("\n"))
    #expect(current.leaseName == "log-000001.lease")
  }

  @Test func `the line is read back`() throws {
    #expect(try CurrentFile(current.encoded()) == current)
  }

  @Test(arguments: [
    "", "\n", "log-000001.mdb", "../../etc/passwd 00010203-0405-0607-0809-0a0b0c0d0e0f 1 00000000\n",
    "log-000001.mdb 00010203-0405-0607-0809-0a0b0c0d0e0f 1 00000000\n",
    "log-000001.mdb 00010203-0405-0607-0809-0a0b0c0d0e0f 18446744073709551616 00000000\n",
  ])
  func `anything else is refused`(line: String) {
    #expect(throws: FormatFailure.self) { try CurrentFile(Array(line.utf8)) }
  }

  @Test func `every changed byte is noticed`() {
    let bytes = current.encoded()
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: FormatFailure.self) { try CurrentFile(changed) }
    }
  }
}
