import Testing

@testable import AnnalsFormat

/// The file next to a generation that is being built.
@Suite struct BuildMarkTests {
  @Test func `the bytes of a mark are pinned`() throws {
    let mark = BuildMark(boot: "0f6b6d80-7f3a-4f3e-9a57-1c2f7fb7a001", isSynced: false)
    let text = "unsynced 0f6b6d80-7f3a-4f3e-9a57-1c2f7fb7a001 b8161df1\n"
    #expect(String(decoding: mark.encoded(), as: UTF8.self) == text)
    #expect(try BuildMark(Array(text.utf8)) == mark)
  }

  @Test func `an unsynced file is of use only in the run of the system that wrote it`() {
    let unsynced = BuildMark(boot: "a", isSynced: false)
    #expect(unsynced.isUsable(in: "a"))
    #expect(!unsynced.isUsable(in: "b"))
    #expect(!unsynced.isUsable(in: nil))
    #expect(!BuildMark(boot: "", isSynced: false).isUsable(in: nil))
    #expect(BuildMark(boot: "a", isSynced: true).isUsable(in: "b"))
  }

  @Test(arguments: [
    "", "synced", "synced a", "synced a 00000000\n", "half a 00000000\n", "synced a b c\n",
  ])
  func `anything else is refused`(text: String) {
    #expect(throws: FormatFailure.self) { try BuildMark(Array(text.utf8)) }
  }
}
