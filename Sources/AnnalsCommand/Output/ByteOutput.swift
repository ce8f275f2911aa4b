/// Where a command's output goes.
protocol ByteOutput {
  /// Takes bytes, which are on their way at the latest after ``flush()``.
  mutating func write(_ bytes: [UInt8]) throws(OutputError)

  /// Sends what was taken.
  mutating func flush() throws(OutputError)
}

extension ByteOutput {
  /// Takes a text in UTF-8 and the end of a line.
  mutating func writeLine(_ text: String) throws(OutputError) {
    try write(Array(text.utf8) + [UInt8(ascii: "\n")])
  }
}

/// Why output could not be written.
enum OutputError: Error, Equatable {
  /// Nobody reads any further: the other end of a pipe is closed.
  case closed
  /// The system refused.
  case failed(SystemError)
}

/// Output to an open file, in large pieces.
struct BufferedOutput: ByteOutput {
  private static let size = 64 << 10
  private let descriptor: Descriptor
  private var bytes: [UInt8] = []

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  mutating func write(_ more: [UInt8]) throws(OutputError) {
    bytes += more
    if bytes.count >= Self.size { try flush() }
  }

  mutating func flush() throws(OutputError) {
    // Emptied first: what could not be written once is not tried again.
    let whole = bytes
    bytes.removeAll(keepingCapacity: true)
    do { try descriptor.write(whole) } catch {
      throw error.isClosed ? .closed : .failed(error)
    }
  }
}
