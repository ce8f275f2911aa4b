// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ingest",
  dependencies: [.package(name: "Annals", path: "../../..")],
  targets: [
    .executableTarget(
      name: "ingest",
      dependencies: [.product(name: "Annals", package: "Annals")])
  ]
)
