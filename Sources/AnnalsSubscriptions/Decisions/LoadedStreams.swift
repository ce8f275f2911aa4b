public import AnnalsCoding

/// The states of several streams, as of one snapshot.
public struct LoadedStreams<A: Aggregate>: Sendable {
  private let loaded: [StreamName: Loaded<A>]

  init(_ loaded: [StreamName: Loaded<A>]) {
    self.loaded = loaded
  }

  /// The state of a stream.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a stream that was not loaded.
  public subscript(stream: StreamName) -> A.State {
    get throws(AnnalsError) { try self.loaded(stream).state }
  }

  /// Returns the state of a stream with its revision.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a stream that was not loaded.
  public func loaded(_ stream: StreamName) throws(AnnalsError) -> Loaded<A> {
    guard let found = loaded[stream] else {
      throw AnnalsError(
        .wrongUse, "stream '\(stream)': it was not loaded; name it among the streams to load",
        details: AnnalsError.Details { $0.stream = stream })
    }
    return found
  }

  /// The expectations under which an append may rely on the states.
  var expectations: [StreamName: Expectation] { loaded.mapValues { $0.expectation } }
}
