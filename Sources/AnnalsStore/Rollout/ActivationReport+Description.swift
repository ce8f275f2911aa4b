internal import AnnalsCoding

extension ActivationReport: CustomStringConvertible {
  /// The report as text: the state of the store, the programs that have it open, and the changes.
  public var description: String {
    var lines = ["version \(version) was \(phase.words)"]
    lines.append("\(olderEvents) events of older versions, which are upcast as they are read")
    lines += olderPrograms.map { "older: \($0)" }
    if isActivated {
      lines.append("it is active now: older programs append nothing any more")
    } else if phase == .active || phase == .contracted {
      lines.append("it was active already")
    } else {
      lines.append("nothing was changed")
    }
    return lines.joined(separator: "\n")
  }
}
