import Annals

/// The options that every migration pass has.
struct PassArguments {
  static let flags: Set<String> = [
    "--dry-run", "--hold", "--quarantine", "--restart", "--resume", "--sample",
  ]
  static let values: Set<String> = ["--rate", "--threads"]
  static let help = """
      --dry-run       writes nothing, and says what a pass would do
      --rate N        copies at most N entries a second
      --threads N     decodes and encodes on N threads (by default one for each processor)
      --hold          refuses appends after the switch until 'accept' or 'rollback'
      --quarantine    copies entries that a rule fails on as they are, and marks and counts them
      --sample        upcasts only a sample of the old entries again for the check
      --resume        continues an unfinished pass; fails if there is none or it cannot be continued
      --restart       discards an unfinished pass and starts again
    """

  var options: MigrationOptions

  init(_ arguments: Arguments) throws(UsageError) {
    var options = MigrationOptions()
    if let rate = try arguments.number("--rate") {
      guard rate > 0 else { throw UsageError("--rate needs at least 1") }
      options.rate = Int(clamping: rate)
    }
    if let threads = try arguments.number("--threads") {
      guard (1...64).contains(threads) else { throw UsageError("--threads needs 1 to 64") }
      options.threads = Int(threads)
    }
    options.isHolding = arguments.has("--hold")
    options.unreadable = arguments.has("--quarantine") ? .quarantine : .fail
    options.comparison = arguments.has("--sample") ? .sampled : .full
    options.isRehearsal = arguments.has("--dry-run")
    switch (arguments.has("--resume"), arguments.has("--restart")) {
    case (true, true): throw UsageError("--resume and --restart exclude each other")
    case (true, false): options.unfinished = .mustBeThere
    case (false, true): options.unfinished = .discard
    case (false, false): break
    }
    self.options = options
  }
}
