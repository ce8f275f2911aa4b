import Annals

/// A record of sixty fields, more than the first byte of an array can count.
@Record struct Ledger: Record {
  var f0: Int
  var f1: String
  var f2: Bool?
  var f3: Double
  var f4: UInt32?
  var f5: [Int16]
  var f6: Int
  var f7: String
  var f8: Bool?
  var f9: Double
  var f10: UInt32?
  var f11: [Int16]
  var f12: Int
  var f13: String
  var f14: Bool?
  var f15: Double
  var f16: UInt32?
  var f17: [Int16]
  var f18: Int
  var f19: String
  var f20: Bool?
  var f21: Double
  var f22: UInt32?
  var f23: [Int16]
  var f24: Int
  var f25: String
  var f26: Bool?
  var f27: Double
  var f28: UInt32?
  var f29: [Int16]
  var f30: Int
  var f31: String
  var f32: Bool?
  var f33: Double
  var f34: UInt32?
  var f35: [Int16]
  var f36: Int
  var f37: String
  var f38: Bool?
  var f39: Double
  var f40: UInt32?
  var f41: [Int16]
  var f42: Int
  var f43: String
  var f44: Bool?
  var f45: Double
  var f46: UInt32?
  var f47: [Int16]
  var f48: Int
  var f49: String
  var f50: Bool?
  var f51: Double
  var f52: UInt32?
  var f53: [Int16]
  var f54: Int
  var f55: String
  var f56: Bool?
  var f57: Double
  var f58: UInt32?
  var f59: [Int16]

  static var samples: [Ledger] {
    [
      Ledger(
        f0: 0, f1: "1", f2: nil, f3: 3.5, f4: 4, f5: [5], f6: 6, f7: "7", f8: nil, f9: 9.5, f10: 10,
        f11: [11], f12: 12, f13: "13", f14: nil, f15: 15.5, f16: 16, f17: [17], f18: 18, f19: "19",
        f20: nil, f21: 21.5, f22: 22, f23: [23], f24: 24, f25: "25", f26: nil, f27: 27.5, f28: 28,
        f29: [29], f30: 30, f31: "31", f32: nil, f33: 33.5, f34: 34, f35: [35], f36: 36, f37: "37",
        f38: nil, f39: 39.5, f40: 40, f41: [41], f42: 42, f43: "43", f44: nil, f45: 45.5, f46: 46,
        f47: [47], f48: 48, f49: "49", f50: nil, f51: 51.5, f52: 52, f53: [53], f54: 54, f55: "55",
        f56: nil, f57: 57.5, f58: 58, f59: [59])
    ]
  }
}
