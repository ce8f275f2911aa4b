// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

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
    .executableTarget(
      name: "AnnalsBench",
      dependencies: [.product(name: "Annals", package: "Annals"), "CBareLMDB"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
