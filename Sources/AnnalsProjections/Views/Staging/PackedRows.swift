internal import AnnalsCoding

/// Encoded rows of one table by number: those that were put and not read since.
///
/// A row that the next one replaces is mostly not looked at. As bytes it takes nothing from the events whose
/// texts it has, so neither row nor event has to be kept or freed here, and it is not encoded when it is
/// stored. The memory of a row is used again by the next one of its number. Long rows are not packed: moving
/// them takes longer than freeing them.
@usableFromInline struct PackedRows {
  /// The place of a row in the bytes; without a row, the count is 0.
  private struct Place {
    var start = 0
    var count: UInt32 = 0
    var room: UInt32 = 0
  }

  /// The most bytes of a row that is packed.
  static let longest = 1024
  /// The bytes that may be lost to rows that have moved before the others are moved together.
  static let mostLost = 1 << 16

  private var places: [Place] = []
  private var bytes: [UInt8] = []
  /// The bytes that no row has room in.
  private var lost = 0
  /// The row that is to be packed.
  @usableFromInline var next: [UInt8] = []

  /// The bytes of memory that it takes beyond those of the rows.
  var excess: Int { bytes.capacity - bytes.count + lost + places.capacity * MemoryLayout<Place>.stride }

  /// Whether it has the row of a number.
  @usableFromInline func has(_ number: Int) -> Bool { number < places.count && places[number].count > 0 }

  /// The row of a number, empty if there is none.
  subscript(number: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    get {
      guard number < places.count else { return bytes.span.extracting(0..<0) }
      let place = places[number]
      return bytes.span.extracting(place.start..<place.start + Int(place.count))
    }
  }

  /// Takes ``next`` as the row of a number.
  mutating func take(_ number: Int) {
    while places.count <= number { places.append(Place()) }
    let count = next.count
    if count > places[number].room { move(number, to: count) }
    places[number].count = UInt32(truncatingIfNeeded: count)
    Self.write(next, at: places[number].start, in: &bytes)
  }

  private static func write(_ row: [UInt8], at start: Int, in bytes: inout [UInt8]) {
    var span = bytes.mutableSpan
    var writer = ByteWriter(&span)
    writer.offset = start
    writer.write(row.span)
  }

  /// Removes the row of a number, and keeps its room for the next one.
  @usableFromInline mutating func remove(_ number: Int) {
    if has(number) { places[number].count = 0 }
  }

  /// Removes the row of a number, which is not to come back.
  mutating func giveUp(_ number: Int) {
    guard has(number) else { return }
    lost += Int(places[number].room)
    places[number] = Place()
  }

  /// Removes all rows, and returns their memory.
  mutating func removeAll() {
    places = []
    bytes = []
    lost = 0
  }

  /// Finds another place for the row of a number, with room for `count` bytes.
  private mutating func move(_ number: Int, to count: Int) {
    lost += Int(places[number].room)
    places[number] = Place()
    if lost > max(bytes.count / 2, Self.mostLost) { join() }
    let room = (count + 15) & ~15
    places[number] = Place(start: bytes.count, room: UInt32(truncatingIfNeeded: room))
    bytes += repeatElement(0, count: room)
  }

  /// Moves all rows together.
  private mutating func join() {
    var joined: [UInt8] = []
    joined.reserveCapacity(bytes.count - lost)
    for number in places.indices {
      let place = places[number]
      places[number].start = joined.count
      joined.append(bytes.span.extracting(place.start..<place.start + Int(place.room)))
    }
    bytes = joined
    lost = 0
  }
}
