import Foundation
import Testing

/// What programs show of an error.
@Suite struct ErrorTextTests {
  @Test func `the localized description has the code and the message, as the description has`() {
    let error = AnnalsError(.streamClosed, "stream 'a' is closed")
    #expect("\(error)" == "streamClosed: stream 'a' is closed")
    #expect(error.localizedDescription == "\(error)")
    let any: any Error = error
    #expect(any.localizedDescription == "\(error)")
  }
}
