#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The arguments of this process's command line, as the system passed them.
///
/// `CommandLine.arguments` replaces bytes that are not UTF-8, so that a path in it may refer to another file.
public enum ProcessArguments {
  /// The bytes of each argument after the name of the program.
  public static var bytes: [[UInt8]] {
    var words: [[UInt8]] = []
    for index in stride(from: 1, to: Int(CommandLine.argc), by: 1) {
      guard let word = unsafe CommandLine.unsafeArgv[index] else { break }
      words.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
    }
    return words
  }
}
