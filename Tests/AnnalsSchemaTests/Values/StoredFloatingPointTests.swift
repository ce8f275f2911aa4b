import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StoredFloatingPointTests {
  @Test func `a number takes the shortest form that holds it`() throws {
    try expect(0.0, is: "f90000")
    try expect(1.5, is: "f93e00")
    try expect(65504.0, is: "f97bff")
    try expect(100000.0, is: "fa47c35000")
    try expect(3.4028234663852886e38, is: "fa7f7fffff")
    try expect(1.1, is: "fb3ff199999999999a")
    try expect(5.960464477539063e-8, is: "f90001")
    try expect(Float(0.1), is: "fa3dcccccd")
    try expect(Float(82.5), is: "f95528")
    try expect(Double.infinity, is: "f97c00")
    try expect(-Float.infinity, is: "f9fc00")
  }

  /// Zeros, infinities, NaNs quiet and signalling with payloads high and low, and the ends of the exponents.
  static let doubles: [UInt64] = [
    0, 1 << 63, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000,
    0x7ff0_0000_0000_0001, 0x7ff4_0000_0000_0000, 0xfff7_ffff_ffff_ffff, 0x7ff8_0000_2000_0000,
    0x7ff0_0400_0000_0000,
    0x7fff_ffff_ffff_ffff, 1, 0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000, 0x7fef_ffff_ffff_ffff,
    0x36a0_0000_0000_0000, 0x3690_0000_0000_0000, 0x3810_0000_0000_0000, 0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x3e70_0000_0000_0000, 0x3f10_0000_0000_0000, 0x40ef_fc00_0000_0000, 0x40ef_fe00_0000_0000,
  ]

  @Test(arguments: doubles)
  func `a double and a date come back bit for bit`(bits: UInt64) throws {
    let bytes = try written(Double(bitPattern: bits))
    #expect(try read(bytes, as: Double.self).bitPattern == bits)
    let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    #expect(try written(date) == bytes)
    #expect(try read(bytes, as: Date.self).timeIntervalSinceReferenceDate.bitPattern == bits)
  }

  @Test(
    arguments: [
      0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0001, 0x7f80_0001, 0x7fa0_0000,
      0xffff_ffff, 1, 0x8000_0001,
      0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x3380_0000, 0x3300_0000, 0x3880_0000, 0x387f_c000, 0x477f_e000,
    ] as [UInt32])
  func `a float comes back bit for bit`(bits: UInt32) throws {
    let bytes = try written(Float(bitPattern: bits))
    #expect(try read(bytes, as: Float.self).bitPattern == bits)
  }

  @Test func `every half-precision number is read and written as it is`() throws {
    for bits in UInt16.min...UInt16.max {
      let bytes = [0xf9, UInt8(bits >> 8), UInt8(bits & 0xff)]
      let double = try read(bytes, as: Double.self)
      let float = try read(bytes, as: Float.self)
      // Comparing all in one expectation each would take a second for every thousand.
      guard try written(double) == bytes, try written(float) == bytes else {
        Issue.record("half \(bits)")
        return
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `any bits come back`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      // Half of them with few bits in the mantissa, so that all three widths are met.
      var bits = generator.next()
      if Bool.random(using: &generator) {
        bits &= UInt64.max << UInt64.random(in: 20...52, using: &generator)
      }
      let bytes = try written(Double(bitPattern: bits))
      let back = try read(bytes, as: Double.self)
      #expect(back.bitPattern == bits)
      let single = UInt32(truncatingIfNeeded: bits >> 32)
      let bytesOfSingle = try written(Float(bitPattern: single))
      let singleBack = try read(bytesOfSingle, as: Float.self)
      #expect(singleBack.bitPattern == single)
    }
  }

  @Test(arguments: [
    "fa00000000", "fb0000000000000000", "fa3fc00000", "fb3ff8000000000000", "fb40f86a0000000000",
    "fa7fc00000",
    "fb7ff8000000000000", "fb7ff0000000000000", "fa80000000", "fa33800000", "fb36a0000000000000",
  ])
  func `a number in a longer form than it needs is refused`(bytes: String) {
    expect(bytes, as: Double.self, fails: .notCanonical)
    expect(bytes, as: Float.self, fails: .notCanonical)
    expect(bytes, as: Date.self, fails: .notCanonical)
  }

  @Test func `a float takes no number that it would round`() {
    expect("fb3ff199999999999a", as: Float.self, fails: .outOfRange)
    expect("fb7ff0000000000001", as: Float.self, fails: .outOfRange)
  }

  @Test(arguments: ["01", "20", "f6", "60", "f818", "f5"])
  func `whole numbers and others are of another type`(bytes: String) {
    expect(bytes, as: Double.self, fails: .wrongType)
    expect(bytes, as: Float.self, fails: .wrongType)
    expect(bytes, as: Date.self, fails: .wrongType)
  }

  @Test(arguments: ["f9", "f93e", "fa47c350", "fb3ff19999999999"])
  func `a number that the bytes cut off is refused`(bytes: String) {
    expect(bytes, as: Double.self, fails: .truncated)
    expect(bytes, as: Float.self, fails: .truncated)
  }

  @Test func `the shapes are their own`() {
    #expect(shape(of: Float.self) == .float)
    #expect(shape(of: Double.self) == .double)
    #expect(shape(of: Date.self) == .date)
  }
}
