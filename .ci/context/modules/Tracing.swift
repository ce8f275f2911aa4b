// The part of swift-distributed-tracing's interface that docs/observing.md uses.
public enum SpanAttribute: Sendable {
  case int64(Int64)
  case string(String)
}

public struct SpanAttributes: Sendable {
  public subscript(_ name: String) -> SpanAttribute? {
    get { nil }
    set {}
  }
}

public protocol Span: Sendable {
  var attributes: SpanAttributes { get nonmutating set }
  func recordError(_ error: any Error)
}

public func withSpan<T>(
  _ operationName: String, isolation: isolated (any Actor)? = #isolation,
  _ operation: (any Span) async throws -> T
) async rethrows -> T {
  try await operation(NoSpan())
}

private struct NoSpan: Span {
  var attributes: SpanAttributes {
    get { SpanAttributes() }
    nonmutating set {}
  }
  func recordError(_ error: any Error) {}
}
