// The part of swift-log's interface that docs/observing.md uses.
public struct Logger: Sendable {
  public typealias Metadata = [String: MetadataValue]
  public enum MetadataValue: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    case string(String)
    case stringConvertible(any CustomStringConvertible & Sendable)
    public init(stringLiteral value: String) { self = .string(value) }
  }
  public struct Message: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
  }
  public init(label: String) {}
  public func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func notice(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
}
