/// The bytes that `digits` write in hexadecimal, spaces ignored.
func hex(_ digits: String) -> [UInt8] {
  let digits = digits.filter { $0 != " " }
  var bytes: [UInt8] = []
  var index = digits.startIndex
  while let end = digits.index(index, offsetBy: 2, limitedBy: digits.endIndex), end > index {
    bytes.append(UInt8(digits[index..<end], radix: 16) ?? 0)
    index = end
  }
  return bytes
}

/// `bytes` in hexadecimal digits.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
