// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "todo",
  products: [.executable(name: "todo", targets: ["todo"])],
  dependencies: [.package(name: "Annals", path: "../../..")],
  targets: [
    .executableTarget(
      name: "todo",
      dependencies: [.product(name: "Annals", package: "Annals")])
  ]
)
