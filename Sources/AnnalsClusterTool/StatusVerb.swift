import Annals
import AnnalsCluster
import AnnalsCoding
import AnnalsLog
import AnnalsMaintenance

/// `status`: how far machines are, and what the servers have.
struct StatusVerb {
  private let arguments: ClusterArguments

  init(_ arguments: ClusterArguments) {
    self.arguments = arguments
  }

  func run() async throws(AnnalsError) -> ClusterCommand.Result {
    let log = try arguments.log()
    guard log != nil || !arguments.operands.isEmpty else {
      throw ClusterArguments.wrong("a store, or --servers and --name, are missing")
    }
    var member: MemberFacts?
    if let operand = arguments.operands.first {
      var options = StoreOptions()
      options.access = .readOnly
      options.creation = .never
      member = try MemberFacts(of: try EventLog(at: try operand.url(), options: options))
    }
    guard let log else { return show(member, nil, []) }
    let shared = try log.connect(creates: false)
    let asked: Result<(BrokerReport, [MachineReport]), AnnalsError>
    do throws(AnnalsError) {
      let limit = try arguments.limit()
      asked = .success((try await shared.report(within: limit), try await shared.machines(within: limit)))
    } catch {
      asked = .failure(error)
    }
    await shared.close()
    let (broker, machines) = try asked.get()
    return show(member, broker, machines)
  }

  private func show(
    _ member: MemberFacts?, _ broker: BrokerReport?, _ machines: [MachineReport]
  ) -> ClusterCommand.Result {
    let isGood = !machines.contains(where: \.isStopped)
    if arguments.isJSON {
      var line = ReportLine()
      if let member { line.add("store", Self.line(member, broker)) }
      if let broker { line.add("log", Self.line(broker)) }
      line.add("machines", machines.map(Self.line))
      return ClusterCommand.Result(output: String(decoding: line.bytes, as: UTF8.self), isGood: isGood)
    }
    var text = ""
    if let member {
      let lag = broker.map { ", lag \($0.last - min(member.applied, $0.last))" } ?? ""
      text += "store: applied up to message \(member.applied)\(lag), \(member.position) entries, "
      text += "\(member.commits) commits, hash \(member.hash)\n"
      if let need = member.need { text += "  it needs \(need)\n" }
    }
    if let broker {
      text +=
        "log: messages \(broker.first) to \(broker.last), \(broker.removed) removed, \(broker.bytes) bytes, "
      text += "\(broker.replicas) \(broker.replicas == 1 ? "replica" : "replicas")"
      text += broker.leader.isEmpty ? "\n" : ", leader \(broker.leader)\n"
      for server in broker.servers { text += "server \(server.name): version \(server.version)\n" }
      if broker.servers.count < broker.addresses {
        text += "servers without an answer: \(broker.addresses - broker.servers.count)\n"
      }
      for warning in broker.warnings { text += "warning: \(warning)\n" }
      for machine in machines { text += Self.text(machine, broker.last) }
      text += machines.isEmpty ? "no machine answers\n" : ""
    }
    return ClusterCommand.Result(output: text, isGood: isGood)
  }

  private static func text(_ machine: MachineReport, _ last: UInt64) -> String {
    var text = "machine \(machine.machine), process \(machine.process), \(machine.store): "
    text +=
      "version \(machine.version), applied \(machine.applied), lag \(last - min(machine.applied, last)), "
    text += "\(machine.position) entries, \(machine.commits) commits, hash \(machine.hash)\n"
    if let problem = machine.problem {
      text += "  \(machine.isStopped ? "it has stopped" : "it tries again"): \(problem)\n"
    }
    if let needs = machine.needs { text += "  it needs a program whose plan has version \(needs)\n" }
    return text
  }

  private static func line(_ member: MemberFacts, _ broker: BrokerReport?) -> ReportLine {
    var line = ReportLine()
    line.add("cluster", member.cluster)
    line.add("applied", member.applied)
    if let broker { line.add("lag", broker.last - min(member.applied, broker.last)) }
    line.add("position", member.position)
    line.add("commits", member.commits)
    line.add("hash", member.hash)
    if let need = member.need { line.add("needs", need) }
    return line
  }

  private static func line(_ broker: BrokerReport) -> ReportLine {
    var line = ReportLine()
    line.add("first", broker.first)
    line.add("last", broker.last)
    line.add("removed", broker.removed)
    line.add("bytes", broker.bytes)
    line.add("replicas", UInt64(broker.replicas))
    line.add("leader", broker.leader)
    line.add("servers", broker.servers.map { "\($0.name) \($0.version)" })
    line.add("addresses", UInt64(broker.addresses))
    line.add("warnings", broker.warnings)
    return line
  }

  private static func line(_ machine: MachineReport) -> ReportLine {
    var line = ReportLine()
    line.add("machine", machine.machine)
    line.add("process", UInt64(clamping: machine.process))
    line.add("store", machine.store)
    line.add("version", machine.version)
    line.add("applied", machine.applied)
    line.add("position", machine.position)
    line.add("commits", machine.commits)
    line.add("hash", machine.hash)
    if let problem = machine.problem { line.add("problem", problem) }
    line.add("stopped", machine.isStopped)
    if let needs = machine.needs { line.add("needs", needs) }
    return line
  }
}
