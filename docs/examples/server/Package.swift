// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "server",
  products: [.executable(name: "server", targets: ["server"])],
  dependencies: [.package(name: "Annals", path: "../../..")],
  targets: [
    .executableTarget(
      name: "server",
      dependencies: [.product(name: "Annals", package: "Annals")])
  ]
)
