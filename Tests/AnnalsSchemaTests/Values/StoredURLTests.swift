import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StoredURLTests {
  @Test(arguments: [
    "https://example.org/a?b=c#d", "mailto:a@example.org", "a/b", "file:///tmp/%20x", "urn:isbn:1",
  ])
  func `a URL is its text`(text: String) throws {
    let url = try #require(URL(string: text))
    let bytes = try written(url)
    #expect(try bytes == written(text))
    let back = try read(bytes, as: URL.self)
    #expect(back == url)
    #expect(back.absoluteString == text)
  }

  @Test func `a URL with a base is refused, since it would come back as another one`() throws {
    struct Page: Codable { var url: URL }
    let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.org/a/")))
    #expect { try written(url) } throws: { ($0 as? CodingFailure)?.reason == .refused }
    #expect { try PayloadEncoder.encode(Page(url: url)) } throws: {
      ($0 as? CodingFailure)?.reason == .refused
    }
    #expect(try written(url.absoluteURL) == written("https://example.org/a/b"))
    #expect(try read(written(url.absoluteURL), as: URL.self) == url.absoluteURL)
  }

  @Test func `a text that is no URL, or would be written otherwise, is refused`() throws {
    expect("60", as: URL.self, fails: .refused)
    expect(hex(try written("http://a b/")), as: URL.self, fails: .refused)
    expect(hex(try written("a b")), as: URL.self, fails: .notCanonical)
    expect(hex(try written("/ü")), as: URL.self, fails: .notCanonical)
    expect("40", as: URL.self, fails: .wrongType)
  }

  @Test func `the shape is its own`() {
    #expect(shape(of: URL.self) == .url)
  }
}
