internal import AnnalsCoding

/// Keys of bytes, each with a number from 0 in the order in which it was first met.
///
/// Open addressing over a list of hashes; the bytes of all keys stand in one array, so that a look-up allocates nothing.
struct KeyTable {
  /// By place in the table, the number of a key and 1; 0 where there is none.
  private var places: [UInt32]
  private var hashes: [UInt64] = []
  /// By key, where its bytes end.
  private var ends: [Int] = []
  private var bytes: [UInt8] = []

  /// No keys.
  init() {
    places = [UInt32](repeating: 0, count: 64)
  }

  /// How many keys there are.
  var count: Int { ends.count }

  /// How many bytes the keys have.
  var size: Int { bytes.count }

  /// The bytes of the key with a number.
  func range(of number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  /// The bytes of the key with a number.
  subscript(number: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span.extracting(range(of: number)) }
  }

  /// The number of a key; `nil` where it was not met.
  func find(_ key: Span<UInt8>) -> Int? {
    let hash = StreamHash(key).low
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place] != 0 {
      let number = Int(places[place]) - 1
      if hashes[number] == hash, isEqual(key, number) { return number }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// The number of a key, and whether it was not met before.
  mutating func number(of key: Span<UInt8>) -> (number: Int, isNew: Bool) {
    let hash = StreamHash(key).low
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place] != 0 {
      let number = Int(places[place]) - 1
      if hashes[number] == hash, isEqual(key, number) { return (number, false) }
      place = (place + 1) & (places.count - 1)
    }
    let number = ends.count
    hashes.append(hash)
    bytes.append(key)
    ends.append(bytes.count)
    places[place] = UInt32(number) + 1
    if ends.count * 2 > places.count { grow() }
    return (number, true)
  }

  /// The numbers of some keys, in the order of their bytes.
  func sorted(_ numbers: [Int]) -> [Int] {
    numbers.sorted { self[$0].precedes(self[$1]) }
  }

  /// Forgets all keys and keeps the room for them.
  mutating func removeAll() {
    guard count > 0 else { return }
    for place in places.indices { places[place] = 0 }
    hashes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  private func isEqual(_ key: Span<UInt8>, _ number: Int) -> Bool {
    bytes.span.extracting(range(of: number)).isEqual(to: key)
  }

  private mutating func grow() {
    var larger = [UInt32](repeating: 0, count: places.count * 2)
    for (number, hash) in hashes.enumerated() {
      var place = Int(truncatingIfNeeded: hash) & (larger.count - 1)
      while larger[place] != 0 { place = (place + 1) & (larger.count - 1) }
      larger[place] = UInt32(number) + 1
    }
    places = larger
  }
}
