// swift-tools-version: 6.2
import Foundation
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Annals itself does not need SQLite, so a machine that lacks its header builds everything but that peer.
let hasSQLite = ["/usr/include", "/usr/local/include", "/opt/homebrew/include", "/opt/local/include"]
  .contains { FileManager.default.fileExists(atPath: $0 + "/sqlite3.h") }

let package = Package(
  name: "AnnalsBenchmarks",
  products: [
    .executable(name: "annals-bench", targets: ["AnnalsBench"])
  ],
  dependencies: [
    // By name, because a clone's directory may have another one.
    .package(name: "Annals", path: "..")
  ],
  targets: [
    .systemLibrary(
      name: "CBareLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    // The judge of histories knows nothing of Annals.
    .target(name: "History", swiftSettings: strict),
    .testTarget(name: "HistoryTests", dependencies: ["History"], swiftSettings: strict),
    // Schemas in a module of their own, as users are told to keep those that have shipped.
    .target(
      name: "TypedSchemas", dependencies: [.product(name: "Annals", package: "Annals")], swiftSettings: strict
    ),
    .executableTarget(
      name: "AnnalsBench",
      dependencies: [.product(name: "Annals", package: "Annals"), "CBareLMDB", "History", "TypedSchemas"]
        + (hasSQLite ? ["CSQLite"] : []),
      swiftSettings: strict + (hasSQLite ? [.define("HAS_SQLITE")] : [])),
  ]
    + (hasSQLite
      ? [
        .systemLibrary(
          name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])])
      ] : []),
  swiftLanguageModes: [.v6]
)
