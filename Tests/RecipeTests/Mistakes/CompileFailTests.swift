import Testing

/// Mistakes that the compiler must find, and its messages.
///
/// Skipped if the toolchain's `swiftc` or the built modules are not found next to the running tests.
@Suite(.serialized, .enabled(if: Compiler.found != nil, "no swiftc, or no built modules beside the tests"))
struct CompileFailTests {
  private let compiler: Compiler

  init() throws {
    compiler = try #require(Compiler.found)
  }

  @Test(arguments: [Compiler.Work.typecheck, .compile], [Snippet.rest, Snippet.store])
  func `a program without a mistake compiles, without a warning`(work: Compiler.Work, rest: String) throws {
    let outcome = try compiler.run(work, Snippet.shop + rest)
    #expect(outcome.succeeded, "\(outcome.output)")
    #expect(outcome.output == "")
  }

  // Promises P3, P4.
  @Test(arguments: Snippet.chains + Snippet.rules + Snippet.schemas + Snippet.uses)
  func `a mistake does not compile, and the message names it`(snippet: Snippet) throws {
    let outcome = try compiler.run(.typecheck, Snippet.shop + snippet.source)
    #expect(!outcome.succeeded)
    #expect(outcome.output.contains(snippet.message), "\(outcome.output)")
  }

  @Test(arguments: Snippet.files)
  func `mistakes of one kind do not compile, and each is named`(snippets: [Snippet]) throws {
    let outcome = try compiler.run(
      .typecheck, Snippet.shop + snippets.map(\.source).joined(separator: "\n"))
    #expect(!outcome.succeeded)
    for snippet in snippets {
      #expect(outcome.output.contains(snippet.message), "\(snippet.mistake)")
    }
  }

  @Test func `a mistake that a macro finds gets one message`() throws {
    // One of the schemas is public.
    let shop = Snippet.shop.replacing("import Annals", with: "public import Annals", maxReplacements: 1)
    let outcome = try compiler.run(
      .typecheck, shop + Snippet.marks.map(\.source).joined(separator: "\n"))
    let errors = outcome.errors
    #expect(errors.count == Snippet.marks.count, "\(errors.joined(separator: "\n"))")
    for snippet in Snippet.marks {
      #expect(errors.count { $0.contains(snippet.message) } == 1, "\(snippet.mistake)")
    }
  }

  /// Whole-module builds look at what no other file uses, and found seven mistakes in one typealias.
  @Test(arguments: [[], ["-wmo"]])
  func `a type that cannot be stored gets one message, on the line of its field`(options: [String]) throws {
    let lines = Snippet.fields.map(\.source)
    let outcome = try compiler.run(
      .typecheck, options: options, (["import Annals"] + lines + [Snippet.fieldTypes]).joined(separator: "\n")
    )
    let errors = outcome.errors
    #expect(errors.count == Snippet.fields.count, "\(errors.joined(separator: "\n"))")
    for (index, snippet) in Snippet.fields.enumerated() {
      let found = errors.filter { $0.contains("Snippet.swift:\(index + 2):") }
      #expect(found.count == 1, "\(snippet.mistake): \(found)")
      #expect(found.first?.contains(snippet.message) == true, "\(snippet.mistake): \(found)")
    }
  }

  @Test func `a program may say everything that macros understand`() throws {
    let outcome = try compiler.run(.compile, Snippet.library)
    #expect(outcome.succeeded, "\(outcome.output)")
    #expect(outcome.output == "")
  }

  /// Code generation once crashed on what type checking had let pass in silence.
  @Test(arguments: Snippet.schemas)
  func `a mistake in a schema is also found where code is generated`(snippet: Snippet) throws {
    let outcome = try compiler.run(.compile, Snippet.shop + snippet.source)
    #expect(!outcome.succeeded)
    #expect(outcome.output.contains(snippet.message), "\(outcome.output)")
    #expect(!outcome.output.contains("Stack dump"))
  }

  /// The compiler once forgot that a record is one, where a file used its fields before it named the record.
  @Test(arguments: [false, true], [false, true])
  func `a file may use the records of another, in either order`(schemaFirst: Bool, inBatches: Bool)
    throws
  {
    let files = [
      (name: "Schemas.swift", source: Snippet.declaring), (name: "Uses.swift", source: Snippet.using),
    ]
    let outcome = try compiler.build(schemaFirst ? files : files.reversed(), inBatches: inBatches)
    #expect(outcome.succeeded, "\(outcome.output)")
    #expect(outcome.output == "")
  }
}
