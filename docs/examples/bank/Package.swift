// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "bank",
  products: [.executable(name: "bank", targets: ["bank"])],
  dependencies: [.package(name: "Annals", path: "../../..")],
  targets: [
    .executableTarget(
      name: "bank",
      dependencies: [.product(name: "Annals", package: "Annals")])
  ]
)
