import Testing

@Suite struct SHA256Tests {
  private func hex(_ hash: [UInt8]) -> String {
    hash.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// The examples of NIST's "Secure Hash Standard" page, and lengths around the end of a block (from another
  /// implementation).
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `the standard's messages have the standard's hashes`(message: String, hash: String) {
    #expect(hex(SHA256.hash(message.utf8)) == hash)
  }

  @Test func `a million letters have the standard's hash`() {
    var hash = SHA256()
    let thousand = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    for _ in 0..<1000 { hash.update(thousand) }
    #expect(hex(hash.finalize()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test(arguments: [
    (55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"),
    (56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"),
    (63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"),
    (64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"),
    (65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"),
    (119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"),
    (120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"),
  ])
  func `a message that ends near the end of a block is padded as the standard says`(count: Int, hash: String)
  {
    #expect(hex(SHA256.hash(repeatElement(UInt8(ascii: "x"), count: count))) == hash)
  }

  @Test(arguments: [1, 3, 63, 64, 65, 999])
  func `the pieces in which a message comes do not matter`(size: Int) {
    let message = (0..<1000).map { UInt8($0 % 251) }
    var hash = SHA256()
    for start in stride(from: 0, to: 1000, by: size) { hash.update(message[start..<min(start + size, 1000)]) }
    #expect(hex(hash.finalize()) == "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d")
  }
}
