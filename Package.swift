// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

/// The directory of SwiftSyntax modules that the toolchain running this manifest ships.
///
/// Macros are built against it, so that the package depends on no other package.
let toolchainSyntax: String = {
  #if os(macOS)
    let suffix = "pm/ManifestAPI/libPackageDescription.dylib"
    let count = _dyld_image_count()
    let images = (0..<count).compactMap { _dyld_get_image_name($0).map { String(cString: $0) } }
  #else
    let suffix = "pm/ManifestAPI/libPackageDescription.so"
    // Files under /proc report no size, so the whole-file readers of Foundation stop early on them.
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps").flatMap { try? $0.readToEnd() } ?? Data()
    let images = String(decoding: maps, as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(separator: " ").last.map(String.init) }
  #endif
  guard let library = images.first(where: { $0.hasSuffix(suffix) }) else {
    fatalError("cannot find the toolchain's SwiftSyntax: no \(suffix) among the loaded libraries")
  }
  return library.dropLast(suffix.count) + "host"
}()

/// For targets with schemas that other modules import. Their generated code uses imports that Swift 6.3
/// reports as unused if imports are internal by default.
let schemas: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let strict: [SwiftSetting] = schemas + [.enableUpcomingFeature("InternalImportsByDefault")]
let lending: [SwiftSetting] = strict + [.enableExperimentalFeature("Lifetimes")]
/// For code whose optimisation takes longer than it saves: macros, and tests of code that is itself
/// optimised. Each module is written by the compilation that makes its code. A compilation of its own, which
/// is the default here, would let modules above start earlier, but tests have none.
let unoptimised: [SwiftSetting] = [
  .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
]
let syntaxSettings: [SwiftSetting] = strict + unoptimised + [.unsafeFlags(["-I", toolchainSyntax])]
func syntaxLinking(_ libraries: [String]) -> [LinkerSetting] {
  [
    .unsafeFlags(
      ["-L", toolchainSyntax, "-Xlinker", "-rpath", "-Xlinker", toolchainSyntax]
        + libraries.map { "-l\($0)" })
  ]
}
let syntaxLibraries = [
  "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftDiagnostics", "SwiftParser",
  "SwiftCompilerPluginMessageHandling",
]

/// Moving in from SwiftData reads SQLite files. A machine without SQLite's header builds everything else.
let hasSQLite = ["/usr/include", "/usr/local/include", "/opt/homebrew/include", "/opt/local/include"]
  .contains { FileManager.default.fileExists(atPath: $0 + "/sqlite3.h") }

/// Whether libsodium's header is there. The product AnnalsKeys needs it, and nothing else does: a machine
/// without it builds everything but that product.
let hasSodium = ["/usr/include", "/usr/local/include", "/opt/homebrew/include", "/opt/local/include"]
  .contains { FileManager.default.fileExists(atPath: $0 + "/sodium.h") }

/// Whether libnats' header is there. The product AnnalsCluster needs it, and nothing else does. The modules
/// that only this product uses are built with it.
let hasNATS = ["/usr/include", "/usr/local/include", "/opt/homebrew/include", "/opt/local/include"]
  .contains { FileManager.default.fileExists(atPath: $0 + "/nats/nats.h") }

let package = Package(
  name: "Annals",
  products: [
    .library(name: "Annals", targets: ["Annals"]),
    .library(name: "AnnalsTesting", targets: ["AnnalsTesting"]),
    .library(name: "AnnalsCommand", targets: ["AnnalsCommand"]),
    .executable(name: "annals", targets: ["AnnalsTool"]),
    .executable(name: "githistory", targets: ["GitHistoryTool"]),
    .executable(name: "githistory-maintenance", targets: ["GitHistoryMaintenance"]),
  ]
    + (hasSQLite
      ? [
        .library(name: "AnnalsSwiftData", targets: ["AnnalsSwiftData"]),
        .executable(name: "annals-swiftdata", targets: ["AnnalsSwiftDataTool"]),
      ] : [])
    + (hasSodium
      ? [
        .library(name: "AnnalsKeys", targets: ["AnnalsKeys"]),
        .executable(name: "annals-keys", targets: ["AnnalsKeysTool"]),
      ] : [])
    + (hasNATS
      ? [
        .library(name: "AnnalsCluster", targets: ["AnnalsCluster"]),
        .executable(name: "annals-cluster", targets: ["AnnalsClusterTool"]),
      ] : []),
  targets: [
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "CAnnals"),
    .target(name: "LMDB", dependencies: ["CLMDB", "CAnnals"], swiftSettings: lending),
    // The code generation of the macros is a library of its own. Tests that depended on a macro would be
    // built for the host, and the whole package twice.
    .target(
      name: "AnnalsExpansion", swiftSettings: syntaxSettings, linkerSettings: syntaxLinking(syntaxLibraries)),
    .macro(
      name: "AnnalsMacros", dependencies: ["AnnalsExpansion"], swiftSettings: syntaxSettings,
      linkerSettings: syntaxLinking(syntaxLibraries)),
    // Values, payloads and errors: pure, and ignorant of schemas and of LMDB.
    .target(name: "AnnalsCoding", dependencies: ["CAnnals"], swiftSettings: lending),
    // Shapes, the values that have one, and fields of payloads: pure, and ignorant of rules and plans.
    .target(name: "AnnalsShapes", dependencies: ["AnnalsCoding"], swiftSettings: lending),
    // Versions, rules and plans: pure, and ignorant of files and of LMDB.
    .target(
      name: "AnnalsSchema", dependencies: ["AnnalsShapes", "AnnalsCoding", "AnnalsMacros"],
      swiftSettings: lending),
    // The bytes of a log on disk, and what follows from them in memory: heads, kinds and queries. Pure, and
    // ignorant of LMDB and of plans.
    .target(
      name: "AnnalsFormat", dependencies: ["AnnalsShapes", "AnnalsCoding", "CAnnals"],
      swiftSettings: lending),
    // The untyped log: the writer, readers, the merge of heads and opening.
    .target(
      name: "AnnalsLog",
      dependencies: ["AnnalsFormat", "AnnalsShapes", "AnnalsCoding", "LMDB"], swiftSettings: lending),
    // The check of every entry and row.
    .target(
      name: "AnnalsVerify", dependencies: ["AnnalsLog", "AnnalsFormat", "AnnalsCoding", "LMDB"],
      swiftSettings: lending),
    // The typed store: appending and reading through a plan, activation, roll-outs.
    .target(
      name: "AnnalsStore",
      dependencies: ["AnnalsLog", "AnnalsFormat", "AnnalsSchema", "AnnalsShapes", "AnnalsCoding", "LMDB"],
      swiftSettings: lending),
    // Views, inline projections, queries and observation.
    .target(
      name: "AnnalsProjections",
      dependencies: [
        "AnnalsStore", "AnnalsVerify", "AnnalsLog", "AnnalsFormat", "AnnalsSchema", "AnnalsShapes",
        "AnnalsCoding", "LMDB",
      ],
      swiftSettings: lending),
    // Subscriptions, processing and aggregates.
    .target(
      name: "AnnalsSubscriptions",
      dependencies: ["AnnalsStore", "AnnalsLog", "AnnalsFormat", "AnnalsSchema", "AnnalsCoding", "LMDB"],
      swiftSettings: lending),
    // The contents of attachments, in files of their own.
    .target(
      name: "AnnalsAttachments",
      dependencies: ["AnnalsStore", "AnnalsVerify", "AnnalsLog", "AnnalsFormat", "AnnalsCoding", "LMDB"],
      swiftSettings: lending),
    // Migration passes, moving streams and repair.
    .target(
      name: "AnnalsMigration",
      dependencies: [
        "AnnalsAttachments", "AnnalsProjections", "AnnalsStore", "AnnalsVerify", "AnnalsLog", "AnnalsFormat",
        "AnnalsSchema", "AnnalsShapes", "AnnalsCoding", "LMDB",
      ],
      swiftSettings: lending),
    // Maintenance of a whole store: verify, info, import, dump, backup, explain and check.
    .target(
      name: "AnnalsMaintenance",
      dependencies: [
        "AnnalsMigration", "AnnalsAttachments", "AnnalsSubscriptions", "AnnalsProjections", "AnnalsStore",
        "AnnalsVerify", "AnnalsLog", "AnnalsFormat", "AnnalsSchema", "AnnalsShapes", "AnnalsCoding", "LMDB",
      ],
      swiftSettings: lending),
    // The umbrella that users import: every module above, and the one place that opens a store with all its
    // features.
    .target(
      name: "Annals",
      dependencies: [
        "AnnalsMaintenance", "AnnalsMigration", "AnnalsAttachments", "AnnalsSubscriptions",
        "AnnalsProjections", "AnnalsStore", "AnnalsVerify", "AnnalsLog", "AnnalsFormat", "AnnalsSchema",
        "AnnalsShapes", "AnnalsCoding",
      ],
      swiftSettings: lending),
    // Support for testing plans with Swift Testing or XCTest.
    .target(name: "AnnalsTesting", dependencies: ["Annals"], swiftSettings: strict),
    .target(name: "AnnalsCommand", dependencies: ["Annals"], swiftSettings: strict),
    .executableTarget(name: "AnnalsTool", dependencies: ["AnnalsCommand"], swiftSettings: strict),
    // The example is a library plus a one-line program, because tests that use macros cannot import a
    // program.
    .target(name: "GitHistory", dependencies: ["Annals"], swiftSettings: schemas),
    .executableTarget(name: "GitHistoryTool", dependencies: ["GitHistory"], swiftSettings: strict),
    .executableTarget(
      name: "GitHistoryMaintenance", dependencies: ["GitHistory", "AnnalsCommand"], swiftSettings: strict),
    // Directories, a seeded generator and other helpers for all tests. It has no dependencies, so it is built
    // early.
    .target(name: "AnnalsTestSupport", path: "Tests/AnnalsTestSupport", swiftSettings: strict),
    // The tests of the lowest layers need little, but wait for more: on two cores they would keep one of them
    // from the longest chain of modules. These are compiled while `AnnalsMigration` is, and nothing else can
    // be.
    .testTarget(
      name: "LMDBTests", dependencies: ["LMDB", "AnnalsProjections", "AnnalsTestSupport"],
      swiftSettings: lending + unoptimised),
    // Tests of the library are modules by its layers. One module of them all takes longer, because the
    // compiler sorts its list of expanded macros for each new one. Tests are not optimised, because that
    // takes longer than running them. The code they test is optimised. Files that several of them need are
    // links in `Samples`.
    //
    // Values, shapes, schemas and the bytes of entries. These need the lowest layers alone, so they are
    // compiled while the library is.
    .testTarget(
      name: "AnnalsSchemaTests",
      dependencies: ["AnnalsSchema", "AnnalsFormat", "AnnalsShapes", "AnnalsCoding", "AnnalsTestSupport"],
      swiftSettings: lending + unoptimised),
    // Plans at work: stages, contexts, folds, roll-outs, locks of plans, personal fields.
    .testTarget(
      name: "AnnalsStoreTests", dependencies: ["Annals", "AnnalsTestSupport"],
      swiftSettings: lending + unoptimised),
    // What follows the log: views, inline projections, queries, subscriptions, aggregates, decisions.
    .testTarget(
      name: "AnnalsProjectionsTests", dependencies: ["Annals", "AnnalsTestSupport"],
      swiftSettings: lending + unoptimised),
    // Passes: moving streams, limits, removal, erasure, repair.
    .testTarget(
      name: "AnnalsMigrationTests", dependencies: ["Annals", "AnnalsTestSupport"],
      swiftSettings: lending + unoptimised),
    // The log and whole stores. They find the golden stores by their path, and these are not copied as
    // resources.
    .testTarget(
      name: "AnnalsTests", dependencies: ["Annals", "AnnalsTestSupport"], exclude: ["Golden"],
      swiftSettings: lending + unoptimised),
    // Tags, queries and conditional appends, against models of a log.
    .testTarget(
      name: "AnnalsTagTests", dependencies: ["Annals", "LMDB", "AnnalsTestSupport"],
      swiftSettings: strict + unoptimised),
    // Exhaustive tests of decisions that need no store. They are optimised, because they only use the
    // processor, and compiled while `AnnalsMaintenance` is.
    .testTarget(
      name: "AnnalsModelTests",
      dependencies: [
        "AnnalsMigration", "AnnalsStore", "AnnalsVerify", "AnnalsLog", "AnnalsSchema", "AnnalsFormat",
        "AnnalsShapes", "AnnalsCoding", "LMDB", "AnnalsTestSupport",
      ],
      swiftSettings: strict),
    // Real logs with known right answers, where they are available.
    .testTarget(
      name: "MaterialTests", dependencies: ["Annals", "AnnalsTestSupport"],
      swiftSettings: strict + unoptimised),
    // Programs that tests kill, record, cut off and starve, and one that feeds changed payloads to the
    // decoders of fields. They share one executable, which starts faster than the tests do. Tests build the
    // shims.
    .target(
      name: "FaultPrograms",
      dependencies: ["Annals", "LMDB", "AnnalsTestSupport"] + (hasSodium ? ["AnnalsKeys"] : []),
      path: "Tests/FaultInjection/Programs", exclude: ["Fields/Corpus"], swiftSettings: strict + unoptimised),
    .executableTarget(
      name: "FaultTool", dependencies: ["FaultPrograms"], path: "Tests/FaultInjection/Tool",
      swiftSettings: strict),
    .testTarget(
      name: "FaultInjectionTests",
      dependencies: ["Annals", "LMDB", "AnnalsTestSupport", "FaultPrograms", "FaultTool"]
        + (hasSodium ? ["AnnalsKeys"] : []),
      path: "Tests/FaultInjection/Tests", swiftSettings: strict + unoptimised),
    .testTarget(
      name: "AnnalsExpansionTests", dependencies: ["AnnalsExpansion"],
      swiftSettings: syntaxSettings,
      linkerSettings: syntaxLinking(syntaxLibraries + ["SwiftSyntaxMacroExpansion"])),
    // The examples of docs/schema-evolution.md and docs/recipes, on the public API alone.
    .testTarget(
      name: "RecipeTests", dependencies: ["Annals", "AnnalsTesting", "AnnalsTestSupport"],
      exclude: ["ShopPlan.lock"], swiftSettings: strict + unoptimised),
    // An app as Xcode makes it: everything is isolated to the main actor unless it says otherwise.
    .testTarget(
      name: "MainActorTests", dependencies: ["Annals", "AnnalsTesting", "AnnalsTestSupport"],
      swiftSettings: strict + unoptimised + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "AnnalsCommandTests", dependencies: ["Annals", "AnnalsCommand", "AnnalsTestSupport"],
      swiftSettings: strict + unoptimised),
    .testTarget(
      name: "AnnalsTestingTests", dependencies: ["Annals", "AnnalsTesting", "AnnalsTestSupport"],
      swiftSettings: strict + unoptimised),
    .testTarget(
      name: "GitHistoryTests", dependencies: ["GitHistory", "GitHistoryMaintenance", "AnnalsTestSupport"],
      swiftSettings: strict + unoptimised),
  ]
    + (hasSQLite
      ? [
        // Named after this package, because other packages call theirs CSQLite.
        .systemLibrary(
          name: "CAnnalsSQLite", pkgConfig: "sqlite3",
          providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // Files of SwiftData and Core Data: read, mapped and imported.
        .target(name: "AnnalsSwiftData", dependencies: ["Annals", "CAnnalsSQLite"], swiftSettings: strict),
        .executableTarget(
          name: "AnnalsSwiftDataTool", dependencies: ["AnnalsSwiftData", "AnnalsCommand", "Annals"],
          swiftSettings: strict),
        .testTarget(
          name: "AnnalsSwiftDataTests",
          dependencies: [
            "Annals", "AnnalsSwiftData", "AnnalsSwiftDataTool", "CAnnalsSQLite", "AnnalsTestSupport",
          ],
          swiftSettings: strict + unoptimised),
      ] : [])
    + (hasSodium
      ? [
        .systemLibrary(
          name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]
        ),
        // Keys of personal fields, with libsodium: an optional product.
        .target(
          name: "AnnalsKeys",
          dependencies: [
            "AnnalsLog", "AnnalsFormat", "AnnalsSchema", "AnnalsShapes", "AnnalsCoding", "LMDB", "CSodium",
          ],
          swiftSettings: lending),
        .executableTarget(
          name: "AnnalsKeysTool", dependencies: ["AnnalsKeys", "AnnalsCommand", "Annals"],
          swiftSettings: strict),
        // A program that tests kill while it drops a key.
        .executableTarget(
          name: "KeysTool", dependencies: ["Annals", "AnnalsKeys"], path: "Tests/AnnalsKeysTool",
          swiftSettings: schemas),
        .testTarget(
          name: "AnnalsKeysTests",
          dependencies: [
            "Annals", "AnnalsCommand", "AnnalsKeys", "AnnalsKeysTool", "AnnalsTestSupport", "KeysTool",
          ],
          swiftSettings: schemas + unoptimised),
      ] : [])
    + (hasNATS
      ? [
        .systemLibrary(
          name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
        // One store on several machines over a log that all of them share: messages, the rule that applies
        // them and the store that waits for them. It knows no server.
        .target(
          name: "AnnalsReplication",
          dependencies: [
            "Annals", "AnnalsMaintenance", "AnnalsAttachments", "AnnalsProjections", "AnnalsStore",
            "AnnalsLog", "AnnalsFormat", "AnnalsSchema", "AnnalsShapes", "AnnalsCoding", "LMDB",
          ],
          swiftSettings: lending),
        // One store on several machines, over a log in memory that loses answers, repeats messages and cuts
        // connections.
        .testTarget(
          name: "AnnalsReplicationTests",
          dependencies: ["Annals", "AnnalsReplication", "AnnalsTestSupport"], exclude: ["Golden"],
          swiftSettings: lending + unoptimised),
        // How fast a machine applies a backlog of small calls, against a store of one machine.
        .executableTarget(
          name: "BacklogTool",
          dependencies: ["Annals", "AnnalsReplication", "AnnalsLog", "AnnalsCoding"],
          path: "Tests/AnnalsBacklogTool", swiftSettings: schemas),
        // Suites of AnnalsTests as they are, by links to their files: every store that they open is a member
        // of a cluster.
        .testTarget(
          name: "AnnalsSharedStoreTests",
          dependencies: ["Annals", "AnnalsReplication", "AnnalsTestSupport"],
          swiftSettings: lending + unoptimised),
        // The shared log of a cluster in NATS JetStream, and stores over it: an optional product.
        .target(
          name: "AnnalsCluster",
          dependencies: [
            "Annals", "AnnalsReplication", "AnnalsMaintenance", "AnnalsProjections", "AnnalsStore",
            "AnnalsLog", "AnnalsSchema", "AnnalsCoding", "LMDB", "CNATS",
          ],
          swiftSettings: strict),
        .executableTarget(
          name: "AnnalsClusterTool",
          dependencies: [
            "AnnalsCluster", "AnnalsReplication", "AnnalsCommand", "Annals", "AnnalsMaintenance", "AnnalsLog",
            "AnnalsCoding",
          ],
          swiftSettings: strict),
        // A machine with writers, which tests kill.
        .executableTarget(
          name: "ClusterTool", dependencies: ["Annals", "AnnalsCluster"], path: "Tests/AnnalsClusterTool",
          swiftSettings: schemas),
        // They start servers of their own on this machine's loopback.
        .testTarget(
          name: "AnnalsClusterTests",
          dependencies: [
            "Annals", "AnnalsCluster", "AnnalsClusterTool", "AnnalsReplication", "AnnalsTestSupport",
            "ClusterTool",
          ],
          exclude: ["Accounts"],
          swiftSettings: strict + unoptimised),
      ] : []),
  swiftLanguageModes: [.v6]
)

// The tests of the library itself are those that `Tests/run` builds without `--others`
// (docs/decisions/0043-the-tests-run-in-two-parts.md).
if Context.environment["ANNALS_LIBRARY_TESTS"] != nil {
  let tests: Set = [
    "LMDBTests", "AnnalsSchemaTests", "AnnalsTests", "AnnalsTagTests", "AnnalsModelTests",
    "AnnalsStoreTests", "AnnalsProjectionsTests", "AnnalsMigrationTests", "FaultInjectionTests",
  ]
  package.targets.removeAll { $0.type == .test && !tests.contains($0.name) }
}
