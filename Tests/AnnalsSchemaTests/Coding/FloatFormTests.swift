import Testing

struct FloatFormTests {
  @Test(
    arguments: [
      (0x0000_0000_0000_0000, .half(0)), (0x8000_0000_0000_0000, .half(0x8000)),
      (0x3ff8_0000_0000_0000, .half(0x3e00)), (0x40ef_fc00_0000_0000, .half(0x7bff)),
      (0x40f0_0000_0000_0000, .single(0x4780_0000)), (0x3e70_0000_0000_0000, .half(0x0001)),
      (0x3e60_0000_0000_0000, .single(0x3300_0000)), (0x3f0f_f800_0000_0000, .half(0x03ff)),
      (0x36a0_0000_0000_0000, .single(0x0000_0001)), (0x3690_0000_0000_0000, .double(0x3690_0000_0000_0000)),
      (0x47ef_ffff_e000_0000, .single(0x7f7f_ffff)), (0x47f0_0000_0000_0000, .double(0x47f0_0000_0000_0000)),
      (0x7ff0_0000_0000_0000, .half(0x7c00)), (0xfff0_0000_0000_0000, .half(0xfc00)),
      (0x7ff8_0000_0000_0000, .half(0x7e00)), (0xfff8_0000_0000_0000, .half(0xfe00)),
      (0x7ff0_0400_0000_0000, .half(0x7c01)), (0x7ff0_0000_2000_0000, .single(0x7f80_0001)),
      (0x7ff0_0000_0000_0001, .double(0x7ff0_0000_0000_0001)),
      (0x3fb9_9999_9999_999a, .double(0x3fb9_9999_9999_999a)),
      (0x0000_0000_0000_0001, .double(1)), (0x000f_ffff_e000_0000, .double(0x000f_ffff_e000_0000)),
    ] as [(UInt64, FloatForm)])
  func `the shortest form keeps every bit`(bits: UInt64, form: FloatForm) {
    #expect(FloatForm(bits) == form)
    #expect(form.widened == bits)
  }

  @Test func `every half-precision number is its own shortest form`() {
    for bits in UInt16.min ... .max where FloatForm(FloatForm.half(bits).widened) != .half(bits) {
      Issue.record("\(bits)")
    }
  }

  @Test func `the finite half-precision numbers are those of the processor`() {
    for bits in UInt16.min ... .max where Float16(bitPattern: bits).isFinite {
      #expect(FloatForm.half(bits).widened == Double(Float16(bitPattern: bits)).bitPattern)
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a single-precision number is never wider than itself`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let bits = UInt32(truncatingIfNeeded: generator.next())
      let wide = FloatForm.single(bits).widened
      let number = Float(bitPattern: bits)
      #expect(number.isNaN || wide == Double(number).bitPattern)
      switch FloatForm(wide) {
      case .half(let half): #expect(FloatForm.half(half).widened == wide)
      case let form: #expect(form == .single(bits))
      }
    }
  }
}
