// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "cluster",
  products: [.executable(name: "cluster", targets: ["cluster"])],
  dependencies: [.package(name: "Annals", path: "../../..")],
  targets: [
    .executableTarget(
      name: "cluster",
      dependencies: [.product(name: "AnnalsCluster", package: "Annals")])
  ]
)
