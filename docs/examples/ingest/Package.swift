// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ingest",
  products: [.executable(name: "ingest", targets: ["ingest"])],
  dependencies: [.package(name: "Annals", path: "../../..")],
  targets: [
    .executableTarget(
      name: "ingest",
      dependencies: [.product(name: "Annals", package: "Annals")])
  ]
)
