import Annals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A program that adds a verb to the command: `annals NAME` runs `annals-NAME`.
struct ExternalProgram {
  /// The bytes of the path of the program.
  let path: [UInt8]
  /// The words after the verb, unchanged.
  let words: [CommandWord]

  /// Finds the program of a command line.
  ///
  /// - Parameters:
  ///   - words: The command line after the name of the command.
  ///   - verbs: The command's own verbs, which always win.
  ///   - folders: The value of `PATH`.
  ///   - isProgram: Whether a file that can be executed is at a path.
  /// - Returns: The first program in the order of the folders; `nil` without one.
  static func find(
    _ words: [CommandWord], command: String, verbs: [String], folders: [UInt8],
    isProgram: ([UInt8]) -> Bool
  ) -> ExternalProgram? {
    guard let verb = words.first, let first = verb.bytes.first, first != UInt8(ascii: "-"),
      !["help", "completions", "manual"].contains(verb), !verbs.contains(where: { verb == CommandWord($0) }),
      !verb.bytes.contains(UInt8(ascii: "/"))
    else { return nil }
    for folder in folders.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: true) {
      let path = folder + Array("/\(command)-".utf8) + verb.bytes
      if isProgram(Array(path)) { return ExternalProgram(path: Array(path), words: Array(words.dropFirst())) }
    }
    return nil
  }

  /// Finds the program of a command line in the folders of this process.
  static func find(_ words: [CommandWord], command: String, verbs: [String]) -> ExternalProgram? {
    let folders = unsafe getenv("PATH").map {
      unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
    }
    return find(words, command: command, verbs: verbs, folders: folders ?? [], isProgram: Self.isProgram)
  }

  /// Whether a file that this user can execute is at a path.
  private static func isProgram(_ path: [UInt8]) -> Bool {
    var status = stat()
    let path = path.map { CChar(bitPattern: $0) } + [0]
    return unsafe (stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0)
  }

  /// Replaces this process by the program, so that its exit status and its signals are those of the command.
  ///
  /// - Returns: The error of the system, if the program cannot be run.
  func run() -> SystemError {
    // Asynchronous code runs on a thread that blocks signals, and the program would inherit that.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
    let texts = ([path] + words.map(\.bytes)).map { $0.map { CChar(bitPattern: $0) } + [0] }
    let arguments = unsafe texts.map { unsafe strdup($0) } + [nil]
    if let path = unsafe arguments[0] { _ = unsafe execv(path, arguments) }
    let failure = SystemError(code: errno)
    unsafe arguments.forEach { unsafe free($0) }
    return failure
  }
}
