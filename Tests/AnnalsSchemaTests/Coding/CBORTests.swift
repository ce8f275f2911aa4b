import Testing

struct CBORTests {
  @Test func `NaN equals itself`() {
    #expect(CBOR.double(.nan) == .double(.nan))
  }

  @Test func `minus zero is not zero`() {
    #expect(CBOR.double(-0.0) != .double(0.0))
  }

  @Test func `a whole number is not the same number with a fraction`() {
    #expect(CBOR.unsigned(1) != .double(1))
  }

  @Test func `precomposed and decomposed letters are two texts`() {
    #expect(CBOR.text("\u{e9}") != .text("e\u{301}"))
  }

  @Test func `maps are equal regardless of the order of their pairs`() {
    let left: CBOR = ["a": 1, "b": ["x": 1, "y": .null]]
    let right: CBOR = ["b": ["y": .null, "x": 1], "a": 1]
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
  }

  @Test func `a map with one pair twice is not a map with the other twice`() {
    let left: CBOR = ["a": 1, "a": 1, "b": 2]
    #expect(left != ["a": 1, "b": 2, "b": 2])
  }

  @Test func `a value is found by its keys`() {
    let delivery: CBOR = ["runs": ["batsman": -4, "total": 5], "batter": "V Kohli", "tags": [1, "x"]]
    #expect(delivery["runs"]?["batsman"]?.integer == -4)
    #expect(delivery["batter"]?.text == "V Kohli")
    #expect(delivery["tags"]?.array?.count == 2)
    #expect(delivery["none"] == nil)
  }

  @Test func `setting a key replaces, adds and takes out`() {
    var value: CBOR = ["ball": "0.10", "batsman": "x"]
    value["ball"] = 10
    value["over"] = 0
    value["batsman"] = nil
    #expect(value == ["over": 0, "ball": 10])
  }

  @Test func `an integer beyond Int is none`() {
    #expect(CBOR.unsigned(.max).integer == nil)
    #expect(CBOR.negative(.max).integer == nil)
    #expect(CBOR.negative(UInt64(Int.max)).integer == Int.min)
  }
}
