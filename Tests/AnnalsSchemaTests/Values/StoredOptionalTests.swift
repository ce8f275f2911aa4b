import Testing

struct StoredOptionalTests {
  @Test func `nil is null and anything else itself`() throws {
    try expect(nil as Int?, is: "f6")
    try expect(5 as Int?, is: "05")
    try expect("" as String?, is: "60")
    try expect([1, nil] as [Int?], is: "8201f6")
  }

  @Test func `an optional that holds nil is refused instead of becoming nil`() throws {
    expectRefusal(of: Int??.some(nil), .refused)
    expectRefusal(of: [Int??.some(nil)], .refused)
    expectRefusal(of: Int???.some(.some(nil)), .refused)
    let none = try written(Int??.none)
    #expect(hex(none) == "f6")
    let some = try written(Int??.some(3))
    #expect(hex(some) == "03")
  }

  @Test func `null in nested optionals is the outermost nil`() throws {
    let value = try read([0xf6], as: Int??.self)
    #expect(value == .none)
  }

  @Test func `the bytes cut off before an optional are refused`() {
    expect("", as: Int?.self, fails: .truncated)
    expect("f7", as: Int?.self, fails: .wrongType)
  }

  @Test func `the shape holds that of the value`() {
    #expect(shape(of: Int?.self) == .optional(.integer(.int64)))
  }
}
