// The part of swift-metrics' interface that docs/observing.md uses.
public final class Counter: Sendable {
  public init(label: String, dimensions: [(String, String)] = []) {}
  public func increment<Amount: BinaryInteger>(by amount: Amount) {}
  public func increment() {}
}

public class Recorder: @unchecked Sendable {
  public init(label: String, dimensions: [(String, String)] = [], aggregate: Bool = true) {}
  public func record<Value: BinaryInteger>(_ value: Value) {}
  public func record<Value: BinaryFloatingPoint>(_ value: Value) {}
}

public final class Gauge: Recorder, @unchecked Sendable {
  public convenience init(label: String, dimensions: [(String, String)] = []) {
    self.init(label: label, dimensions: dimensions, aggregate: false)
  }
}
