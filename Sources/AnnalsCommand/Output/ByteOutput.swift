/// The destination of a command's output.
package protocol ByteOutput: Sendable {
  /// Accepts bytes. They are sent by the next ``flush()`` at the latest.
  mutating func write(_ bytes: [UInt8]) throws(OutputError)

  /// Sends the accepted bytes.
  mutating func flush() throws(OutputError)

  /// Whether the output may still be read; `false` for a pipe whose reader has closed it.
  var hasReader: Bool { get }
}

extension ByteOutput {
  package var hasReader: Bool { true }

  /// Writes a text in UTF-8 and the end of a line.
  package mutating func writeLine(_ text: String) throws(OutputError) {
    try write(Array(text.utf8) + [UInt8(ascii: "\n")])
  }
}

/// The reason that output could not be written.
package enum OutputError: Error, Equatable {
  /// The other end of a pipe is closed.
  case closed
  /// A system call failed.
  case failed(SystemError)
}

/// Output to an open file, written in large pieces.
struct BufferedOutput: ByteOutput {
  private static let size = 64 << 10
  private let descriptor: Descriptor
  private var bytes: [UInt8] = []

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  var hasReader: Bool { descriptor.hasReader }

  mutating func write(_ more: [UInt8]) throws(OutputError) {
    bytes += more
    if bytes.count >= Self.size { try flush() }
  }

  mutating func flush() throws(OutputError) {
    // Emptied first, so that bytes whose write failed are not written again.
    let whole = bytes
    bytes.removeAll(keepingCapacity: true)
    do { try descriptor.write(whole) } catch {
      throw error.isClosed ? .closed : .failed(error)
    }
  }
}
