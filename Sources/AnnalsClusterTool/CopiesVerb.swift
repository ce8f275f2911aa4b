import Annals
import AnnalsCluster
import AnnalsCoding

/// `copies`: whether the servers have the same messages.
struct CopiesVerb {
  private let arguments: ClusterArguments

  init(_ arguments: ClusterArguments) {
    self.arguments = arguments
  }

  func run() async throws(AnnalsError) -> ClusterCommand.Result {
    guard let log = try arguments.log() else {
      throw ClusterArguments.wrong("--servers and --name are missing")
    }
    let shared = try log.connect(creates: false)
    let compared: Result<CopyComparison, AnnalsError>
    do throws(AnnalsError) {
      compared = .success(try await shared.compareCopies(within: try arguments.limit()))
    } catch {
      compared = .failure(error)
    }
    await shared.close()
    return show(try compared.get())
  }

  private func show(_ comparison: CopyComparison) -> ClusterCommand.Result {
    if arguments.isJSON {
      var line = ReportLine()
      line.add("messages", comparison.compared)
      line.add("replicas", UInt64(comparison.replicas))
      line.add("servers", comparison.copies.map(Self.line))
      line.add("unsettled", comparison.unsettled)
      if let first = comparison.firstUnsettled { line.add("firstUnsettled", first) }
      line.add("agrees", comparison.isGood)
      return ClusterCommand.Result(
        output: String(decoding: line.bytes, as: UTF8.self), isGood: comparison.isGood)
    }
    var text = "\(comparison.compared) messages on \(comparison.copies.count) of \(comparison.replicas) "
    text += comparison.replicas == 1 ? "server\n" : "servers\n"
    for copy in comparison.copies where !copy.server.isEmpty {
      let first = copy.first.map { ", the first is \($0)" } ?? ""
      text += "server \(copy.server): \(copy.differing) differ from those of most servers\(first)\n"
    }
    if let first = comparison.firstUnsettled {
      text += "\(comparison.unsettled) are the same on no majority of the servers, the first is \(first)\n"
    }
    return ClusterCommand.Result(output: text, isGood: comparison.isGood)
  }

  private static func line(_ copy: CopyComparison.Copy) -> ReportLine {
    var line = ReportLine()
    line.add("server", copy.server)
    line.add("differing", copy.differing)
    if let first = copy.first { line.add("first", first) }
    return line
  }
}
