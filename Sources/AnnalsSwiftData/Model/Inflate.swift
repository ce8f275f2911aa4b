/// The decompression of DEFLATE (RFC 1951), without a header, as the framework compresses its model.
enum Inflate {
  /// The reason that bytes cannot be decompressed.
  enum Failure: Error, Equatable {
    case endsEarly, badBlock, badCode, badDistance, tooLarge
  }

  /// Returns the decompressed bytes.
  ///
  /// - Parameter limit: The maximum number of decompressed bytes.
  /// - Throws: ``Failure``.
  /// - Complexity: O(result).
  static func bytes(_ input: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var reader = Bits(input: input)
    var output: [UInt8] = []
    var isLast = false
    while !isLast {
      isLast = try reader.bits(1) == 1
      switch try reader.bits(2) {
      case 0: try stored(&reader, &output, limit)
      case 1: try coded(&reader, &output, limit, fixedLengths, fixedDistances)
      case 2:
        let (lengths, distances) = try dynamicCodes(&reader)
        try coded(&reader, &output, limit, lengths, distances)
      default: throw .badBlock
      }
    }
    return output
  }

  private static func stored(_ reader: inout Bits, _ output: inout [UInt8], _ limit: Int) throws(Failure) {
    reader.alignToByte()
    let count = try reader.bits(16)
    guard try reader.bits(16) == ~count & 0xffff else { throw .badBlock }
    guard output.count + count <= limit else { throw .tooLarge }
    for _ in 0..<count { output.append(UInt8(try reader.bits(8))) }
  }

  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227,
    258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
    4097,
    6145, 8193, 12289, 16385, 24577,
  ]
  private static let distanceBits = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
  ]
  private static let fixedLengths = Code(
    lengths: Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112)
      + Array(repeating: 7, count: 24) + Array(repeating: 8, count: 8))
  private static let fixedDistances = Code(lengths: Array(repeating: 5, count: 30))

  private static func coded(
    _ reader: inout Bits, _ output: inout [UInt8], _ limit: Int, _ lengths: Code, _ distances: Code
  ) throws(Failure) {
    while true {
      let symbol = try lengths.symbol(&reader)
      if symbol < 256 {
        guard output.count < limit else { throw .tooLarge }
        output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      guard symbol - 257 < lengthBases.count else { throw .badCode }
      let length = lengthBases[symbol - 257] + (try reader.bits(lengthBits[symbol - 257]))
      let code = try distances.symbol(&reader)
      guard code < distanceBases.count else { throw .badDistance }
      let distance = distanceBases[code] + (try reader.bits(distanceBits[code]))
      guard distance <= output.count else { throw .badDistance }
      guard output.count + length <= limit else { throw .tooLarge }
      // The copy may overlap its own result, so it goes byte by byte.
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  /// The order in which a block lists the lengths of the code for lengths.
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private static func dynamicCodes(_ reader: inout Bits) throws(Failure) -> (lengths: Code, distances: Code) {
    let lengthCount = try reader.bits(5) + 257
    let distanceCount = try reader.bits(5) + 1
    let codeCount = try reader.bits(4) + 4
    guard lengthCount <= 286 else { throw .badCode }
    var codeLengths = Array(repeating: 0, count: 19)
    for index in 0..<codeCount { codeLengths[order[index]] = try reader.bits(3) }
    let code = Code(lengths: codeLengths)
    var lengths: [Int] = []
    while lengths.count < lengthCount + distanceCount {
      let (value, count): (Int, Int)
      switch try code.symbol(&reader) {
      case 16:
        guard let last = lengths.last else { throw .badCode }
        (value, count) = (last, try reader.bits(2) + 3)
      case 17: (value, count) = (0, try reader.bits(3) + 3)
      case 18: (value, count) = (0, try reader.bits(7) + 11)
      case let symbol: (value, count) = (symbol, 1)
      }
      lengths += Array(repeating: value, count: count)
    }
    guard lengths.count == lengthCount + distanceCount else { throw .badCode }
    return (
      Code(lengths: Array(lengths[..<lengthCount])), Code(lengths: Array(lengths[lengthCount...]))
    )
  }

  /// Bits, the lowest of each byte first.
  private struct Bits {
    let input: [UInt8]
    var next = 0
    var buffer = 0
    var count = 0

    mutating func bits(_ wanted: Int) throws(Failure) -> Int {
      while count < wanted {
        guard next < input.count else { throw .endsEarly }
        buffer |= Int(input[next]) << count
        next += 1
        count += 8
      }
      defer {
        buffer >>= wanted
        count -= wanted
      }
      return buffer & ((1 << wanted) - 1)
    }

    mutating func alignToByte() {
      buffer >>= count % 8
      count -= count % 8
    }
  }

  /// A canonical prefix code: how many codes have each length, and the symbols in the order of their codes.
  private struct Code {
    private var counts = Array(repeating: 0, count: 16)
    private var symbols: [Int] = []

    init(lengths: [Int]) {
      for length in lengths { counts[length] += 1 }
      counts[0] = 0
      for length in 1..<16 {
        symbols += lengths.indices.filter { lengths[$0] == length }
      }
    }

    func symbol(_ reader: inout Bits) throws(Failure) -> Int {
      var code = 0
      var first = 0
      var index = 0
      for length in 1..<16 {
        code |= try reader.bits(1)
        if code - first < counts[length] { return symbols[index + code - first] }
        index += counts[length]
        first = (first + counts[length]) << 1
        code <<= 1
      }
      throw .badCode
    }
  }
}
