import AnnalsTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Exchanges names in a directory again and again, like an attacker that aims at the moment between a check
/// and a use.
@safe
struct Swapper {
  private let directory: String
  private let names: [(String, String)]
  private typealias Exchange =
    @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
    ) -> Int32
  private let exchange: Exchange

  /// Exchanges the names of each pair.
  init(directory: String, _ names: [(String, String)]) throws {
    self.directory = directory
    self.names = names
    // Glibc's module does not have it.
    guard let symbol = unsafe dlsym(nil, "renameat2") else {
      throw SystemFailure(call: "dlsym", errno: ENOSYS)
    }
    unsafe exchange = unsafe unsafeBitCast(symbol, to: Exchange.self)
  }

  /// Runs until there is a file called `stop`. Then every name is back in its place.
  func run(until stop: String) throws {
    var random = SeededGenerator(seed: 1)
    while FaultProgram.hasParent, unsafe access(stop, F_OK) != 0 {
      let pair = names[Int.random(in: names.indices, using: &random)]
      for _ in 0..<2 {
        try swap(pair)
        usleep(UInt32.random(in: 0..<400, using: &random))
      }
    }
  }

  private func swap(_ pair: (String, String)) throws {
    // RENAME_EXCHANGE of Linux: both names exist at every moment.
    let code = unsafe exchange(AT_FDCWD, directory + "/" + pair.0, AT_FDCWD, directory + "/" + pair.1, 2)
    guard code == 0 else { throw SystemFailure(call: "renameat2", errno: errno) }
  }
}
