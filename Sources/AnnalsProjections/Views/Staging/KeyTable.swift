internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

/// A table of byte keys, each with a number from 0 in the order of insertion.
///
/// It uses open addressing over a list of hashes, which distinguish the keys: see ``StreamHash``. A look-up
/// touches one place and one hash, and allocates nothing.
struct KeyTable {
  /// The number of a key plus 1, by place in the table; 0 if the place is empty.
  private var places: [UInt32]
  private var hashes: [StreamHash] = []
  /// The end of each key's bytes.
  private var ends: [Int] = []
  /// The bytes of all keys.
  private var bytes: [UInt8] = []

  /// Creates an empty table.
  init() {
    places = [UInt32](repeating: 0, count: 64)
  }

  /// The number of keys.
  var count: Int { ends.count }

  /// The number of bytes of all keys.
  var size: Int { bytes.count }

  /// Returns the range of the bytes of the key with a number.
  func range(of number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  /// The bytes of the key with a number.
  subscript(number: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span.extracting(range(of: number)) }
  }

  /// Returns the number of a key; `nil` if it is not in the table.
  func find(_ key: Span<UInt8>) -> Int? {
    let hash = StreamHash(key)
    let number = Int(places[place(of: hash)]) - 1
    return number < 0 ? nil : number
  }

  /// Returns the number of a key, adding it if needed, and whether it is new.
  mutating func number(of key: Span<UInt8>) -> (number: Int, isNew: Bool) {
    let hash = StreamHash(key)
    let place = place(of: hash)
    if places[place] != 0 { return (Int(places[place]) - 1, false) }
    let number = ends.count
    hashes.append(hash)
    bytes.append(key)
    ends.append(bytes.count)
    places[place] = UInt32(number) + 1
    if ends.count * 2 > places.count { grow() }
    return (number, true)
  }

  /// Sorts the numbers of some keys by the bytes of the keys.
  func sorted(_ numbers: [Int]) -> [Int] {
    numbers.sorted { self[$0].precedes(self[$1]) }
  }

  /// Removes all keys and keeps the capacity.
  mutating func removeAll() {
    guard count > 0 else { return }
    for place in places.indices { places[place] = 0 }
    hashes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Returns the place of the key with a hash, or the empty place for it.
  private func place(of hash: StreamHash) -> Int {
    var place = Int(truncatingIfNeeded: hash.low) & (places.count - 1)
    while places[place] != 0, hashes[Int(places[place]) - 1] != hash {
      place = (place + 1) & (places.count - 1)
    }
    return place
  }

  private mutating func grow() {
    var larger = [UInt32](repeating: 0, count: places.count * 2)
    for (number, hash) in hashes.enumerated() {
      var place = Int(truncatingIfNeeded: hash.low) & (larger.count - 1)
      while larger[place] != 0 { place = (place + 1) & (larger.count - 1) }
      larger[place] = UInt32(number) + 1
    }
    places = larger
  }
}
