package import AnnalsCoding
internal import AnnalsFormat

/// The bytes of a message, read.
package enum DecodedMessage: Sendable {
  /// A message that this library understands.
  case message(ClusterMessage)
  /// Bytes that are no message: every machine passes over them.
  case void(FormatFailure)
  /// A whole message of a later library, which this machine must not pass over.
  case later(format: UInt8)

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - time: The time of the message, in microseconds since 1970, which its events get if they bring none.
  ///   - shapes: The shapes of earlier messages.
  package init(_ bytes: [UInt8], time: Int64, _ shapes: ShapeMemory) {
    switch MessageHead(bytes.span) {
    case .void(let failure): self = .void(failure)
    case .later(let format): self = .later(format: format)
    case .kind(let kind):
      do throws(FormatFailure) {
        self = .message(try ClusterMessage(MessageHead.content(of: bytes.span), kind, time, shapes))
      } catch {
        self = .void(error)
      }
    }
  }
}

/// What the first bytes of a message say, after its checksum was compared.
enum MessageHead {
  /// A message of this kind, if the rest is one.
  case kind(ClusterMessage.Kind)
  /// Bytes that are no message.
  case void(FormatFailure)
  /// A whole message of a later library.
  case later(format: UInt8)

  /// Reads the beginning of a message.
  init(_ bytes: Span<UInt8>) {
    guard bytes.count >= ClusterMessage.smallest else {
      self = .void(FormatFailure(.tooShort, at: bytes.count))
      return
    }
    let content = Self.content(of: bytes)
    var end = ByteReader(bytes, from: content.count)
    do throws(FormatFailure) {
      guard try end.littleEndian(UInt32.self) == Checksum.crc32c(content) else {
        throw FormatFailure(.checksum, at: content.count)
      }
      let format = content[0]
      guard format >= 1 else { throw FormatFailure(.value, at: 0) }
      guard format <= ClusterMessage.format else {
        self = .later(format: format)
        return
      }
      guard let kind = ClusterMessage.Kind(rawValue: content[1]), kind.format == format else {
        // In the first format, an unknown kind has always been void.
        if format > 1 { self = .later(format: format) } else { throw FormatFailure(.value, at: 1) }
        return
      }
      self = .kind(kind)
    } catch {
      self = .void(error)
    }
  }

  /// Returns a message without its checksum.
  @_lifetime(copy bytes)
  static func content(of bytes: Span<UInt8>) -> Span<UInt8> { bytes.extracting(0..<bytes.count - 4) }

  /// Returns a reader of what follows the format and the kind: the id of the log, and the body.
  @_lifetime(copy bytes)
  static func body(of bytes: Span<UInt8>) -> ByteReader { ByteReader(content(of: bytes), from: 2) }
}
