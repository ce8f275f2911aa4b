internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

/// A table of byte keys, each with a number from 0 in the order of insertion.
///
/// It uses open addressing. A place has most of its key's hash, which distinguishes the keys: see
/// ``StreamHash``. So a look-up of a known key touches one line of memory, and allocates nothing.
struct KeyTable {
  /// A place in the table: 96 bits of the hash of a key, and the key's number plus 1; 0 if it is empty.
  private struct Place {
    var low: UInt64 = 0
    var high: UInt32 = 0
    var number: UInt32 = 0
  }

  private var places: [Place]
  /// The end of each key's bytes.
  private var ends: [Int] = []
  /// The bytes of all keys.
  private var bytes: [UInt8] = []

  /// Creates an empty table.
  init() {
    places = [Place](repeating: Place(), count: 64)
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
    let number = Int(places[place(of: hash)].number) - 1
    return number < 0 ? nil : number
  }

  /// Returns the number of a key, adding it if needed, and whether it is new.
  mutating func number(of key: Span<UInt8>) -> (number: Int, isNew: Bool) {
    let hash = StreamHash(key)
    let place = place(of: hash)
    let known = places[place].number
    if known != 0 { return (Int(known) - 1, false) }
    let number = ends.count
    bytes.append(key)
    ends.append(bytes.count)
    places[place] = Place(
      low: hash.low, high: UInt32(truncatingIfNeeded: hash.high), number: UInt32(number) + 1)
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
    for place in places.indices { places[place] = Place() }
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Returns the place of the key with a hash, or the empty place for it.
  private func place(of hash: StreamHash) -> Int {
    let places = places.span
    let (mask, high) = (places.count - 1, UInt32(truncatingIfNeeded: hash.high))
    var place = Int(truncatingIfNeeded: hash.low) & mask
    while places[place].number != 0, places[place].low != hash.low || places[place].high != high {
      place = (place + 1) & mask
    }
    return place
  }

  private mutating func grow() {
    var larger = [Place](repeating: Place(), count: places.count * 2)
    for known in places where known.number != 0 {
      var place = Int(truncatingIfNeeded: known.low) & (larger.count - 1)
      while larger[place].number != 0 { place = (place + 1) & (larger.count - 1) }
      larger[place] = known
    }
    places = larger
  }
}
