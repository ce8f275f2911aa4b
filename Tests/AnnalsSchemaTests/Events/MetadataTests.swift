import Testing

@Suite struct MetadataTests {
  @Test func `values are found by key`() {
    let metadata: Metadata = ["user": "7", "tries": 2]
    #expect(metadata["user"] == "7")
    #expect(metadata["tries"] == 2)
    #expect(metadata["host"] == nil)
  }

  @Test func `keys are in the order of their bytes`() {
    let metadata: Metadata = ["b": 1, "\u{e9}": 2, "aa": 3, "Z": 4, "e\u{301}": 5]
    let keys = ["Z", "aa", "b", "e\u{301}", "\u{e9}"]
    #expect(metadata.map { Array($0.key.utf8) } == keys.map { Array($0.utf8) })
  }

  @Test func `keys that differ in bytes alone are different keys`() {
    var metadata: Metadata = ["\u{e9}": 1, "e\u{301}": 2]
    #expect(metadata.count == 2)
    metadata["\u{e9}"] = nil
    #expect(metadata["e\u{301}"] == 2)
    #expect(metadata["\u{e9}"] == nil)
  }

  @Test func `a value can be replaced`() {
    var metadata: Metadata = ["user": "7"]
    metadata["user"] = "8"
    #expect(metadata == ["user": "8"])
  }

  @Test func `the order in which keys are set does not matter`() {
    var other = Metadata()
    other["b"] = 2
    other["a"] = 1
    #expect(other == ["a": 1, "b": 2])
    #expect(other.hashValue == (["a": 1, "b": 2] as Metadata).hashValue)
  }

  @Test func `metadata with keys of other bytes is other metadata`() {
    #expect(["\u{e9}": 1] as Metadata != ["e\u{301}": 1])
  }

  @Test func `metadata becomes a map and is read back from it`() {
    let metadata: Metadata = ["user": "7", "tags": ["a", "b"]]
    #expect(metadata.cbor == .map([.init("user", "7"), .init("tags", ["a", "b"])]))
    #expect(Metadata(metadata.cbor) == metadata)
  }

  @Test(arguments: [
    CBOR.array([]), .map([.init(1, 2)]), .map([.init("a", 1), .init("a", 2)]),
  ])
  func `a value other than a map with unique text keys is no metadata`(value: CBOR) {
    #expect(Metadata(value) == nil)
  }
}
