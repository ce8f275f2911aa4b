import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// The ways into a store.
enum Opener: String, CaseIterable, Sendable {
  case readWrite, readOnly, trustingNobody, inspect, verify, typed

  /// Opens the store at `url` and closes it.
  ///
  /// - Returns: What the open threw.
  func refusal(_ url: URL, creation: StoreOptions.Creation = .ifMissing) -> AnnalsError? {
    do throws(AnnalsError) {
      switch self {
      case .readWrite: _ = try EventLog(at: url, options: StoreOptions(creation: creation))
      case .readOnly: _ = try EventLog(at: url, options: StoreOptions(access: .readOnly))
      case .trustingNobody:
        _ = try EventLog(at: url, options: StoreOptions(creation: creation, trust: .nobody))
      case .inspect: _ = try EventLog.inspect(url)
      case .verify:
        let report = try EventLog.verify(url)
        // Pages that contradict each other are findings, and what an open calls damage.
        if !report.isComplete {
          return AnnalsError(.damaged, report.findings.first.map { "\($0.place): \($0.problem)" } ?? "")
        }
      case .typed:
        _ = try EventStore(at: url, plan: Specimen.Plan.self, options: StoreOptions(creation: creation))
      }
      return nil
    } catch {
      return error
    }
  }
}

/// Everything in a directory: names, kinds and bytes. Of lock files only the names.
struct Inventory: Equatable {
  private var items: [String: Data] = [:]

  init(_ url: URL) throws {
    guard let walk = FileManager.default.enumerator(atPath: url.path) else { return }
    for case let name as String in walk {
      let path = url.appendingPathComponent(name).path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let kind = attributes[.type] as? FileAttributeType
      items[name] = Data((kind?.rawValue ?? "").utf8)
      if kind == .typeSymbolicLink {
        items[name]? += Data(try FileManager.default.destinationOfSymbolicLink(atPath: path).utf8)
      }
      // A process that takes a lock notes its number in the file.
      if kind == .typeRegular, !name.hasSuffix("lock") {
        items[name]? += try Data(contentsOf: URL(fileURLWithPath: path))
      }
    }
  }
}
