import Foundation
import Testing

/// Checks that these tests compile and run the code in the documents.
///
/// Code of other libraries is between lines of tildes in the documents, and is not checked.
@Suite struct DocumentTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let package = folder.deletingLastPathComponent().deletingLastPathComponent()

  /// A piece of code in a document.
  struct Block: CustomTestStringConvertible {
    let document: String
    let line: Int
    let code: [String]
    var testDescription: String { "\(document), line \(line)" }
  }

  /// The lines of `text` without indentation, trailing blanks and empty lines.
  private static func lines(of text: some StringProtocol) -> [String] {
    text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.isEmpty
    }
  }

  /// The documents whose Swift code comes from tests: all pages of recipes, and those named here.
  private static func documents() throws -> [String] {
    let recipes = try FileManager.default.contentsOfDirectory(
      atPath: package.appending(path: "docs/recipes").path
    ).filter { $0.hasSuffix(".md") }.sorted()
    return ["schema-evolution.md", "from-swiftdata.md", "from-swiftdata-releases.md", "migration.md"]
      + recipes.map { "recipes/\($0)" }
  }

  private static func blocks(of document: String) throws -> [Block] {
    let text = try String(contentsOf: package.appending(path: "docs/\(document)"), encoding: .utf8)
    var blocks: [Block] = []
    var code: [String]?
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let inside = code {
        if line == "```" {
          blocks.append(
            Block(
              document: document, line: number - inside.count, code: lines(of: inside.joined(separator: "\n"))
            ))
          code = nil
        } else {
          code = inside + [String(line)]
        }
      } else if line == "```swift" {
        code = []
      }
    }
    return blocks
  }

  /// The lines of each file next to this one.
  private static let sources = Result {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
      .map { lines(of: try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
  }

  // Promise P169.
  @Test(arguments: try documents().flatMap(blocks))
  func `the code is that of a test`(block: Block) throws {
    let isThere = try Self.sources.get().contains { source in
      source.indices.contains { source[$0...].starts(with: block.code) }
    }
    #expect(isThere && !block.code.isEmpty, "\(block.code.joined(separator: "\n"))")
  }

  @Test(arguments: try documents())
  func `a document shows code`(document: String) throws {
    #expect(try !Self.blocks(of: document).isEmpty)
  }

  @Test func `the pages of recipes show code`() throws {
    let recipes = try Self.documents().filter { $0.hasPrefix("recipes/") }
    #expect(try recipes.flatMap(Self.blocks).count > 40)
  }
}
