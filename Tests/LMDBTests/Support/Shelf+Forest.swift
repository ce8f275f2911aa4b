import LMDB

extension Shelf {
  /// A `Shelf` whose file has trees of three levels, large values and many free pages.
  static func forest() throws -> Shelf {
    let shelf = try Shelf()
    try shelf.overwrite(grown.get())
    return shelf
  }

  /// The file, made once for all tests.
  private static let grown = Result { try grow() }

  private static func grow() throws -> [UInt8] {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let (small, large) = ([UInt8](repeating: 3, count: 150), [UInt8](repeating: 4, count: 20_000))
    for batch in 0..<4 {
      try environment.write(durability: .none) { (transaction) throws(EnvironmentError) in
        for number in batch * 5_000..<(batch + 1) * 5_000 {
          let value = number % 900 == 0 ? large : small
          try transaction.append(value.span, forKey: UInt64(number), in: environment.numbers)
          if number % 4 == 0 {
            let name = Array("\(String(number % 977, radix: 16))/a name of some length/\(number)".utf8)
            try transaction.put(small.span, forKey: name.span, in: environment.names)
          }
        }
      }
    }
    for batch in 0..<3 {
      try environment.write(durability: .none) { (transaction) throws(EnvironmentError) in
        for number in batch * 1_000..<(batch + 1) * 1_000 {
          try transaction.delete(key: UInt64(number) * 7, in: environment.numbers)
        }
      }
    }
    try environment.synchronize()
    return try shelf.bytes()
  }

  /// Checks the pages of the file.
  func check() throws -> PageCheck.Report {
    try PageCheck.run(Shelf.file, in: directory, tables: Shelf.tables)
  }
}
