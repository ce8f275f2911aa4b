internal import AnnalsCoding

/// One step of a conversion, as plain numbers: it runs once per event and field, and must not touch reference
/// counts.
struct ConversionInstruction: BitwiseCopyable, Sendable {
  /// The operation. A block is a sequence of instructions up to `end`; in the comments, `first` and `second`
  /// are the two numbers.
  enum Operation: UInt8, BitwiseCopyable, Sendable {
    /// Leaves the block.
    case end
    /// Appends `second` bytes of the pool, starting at `first`.
    case put
    /// Enters an array of `first` elements.
    case enter
    /// Copies `first` items.
    case copy
    /// Copies all remaining items.
    case copyRest
    /// Skips `first` items.
    case skip
    /// Records where the `first` fields of the entered record begin.
    case index
    /// Moves to field `first` of the entered record.
    case seek
    /// Moves back to the head of the entered record.
    case restart
    /// If the next item is null, copies it and continues at instruction `first`.
    case unlessNull
    /// Runs the scalar step `first`.
    case scalar
    /// Runs the step `first` between the forms by shape and by name.
    case named
    /// Runs the block `first`.
    case call
    /// Runs the block `first` for each element of an array.
    case list
    /// Like `list`, and sorts the elements.
    case set
    /// Runs the blocks `first` and `second` for each key and value; a `detail` follows.
    case map
    /// Reads a case and runs the block of its number; `first` `entry` instructions follow.
    case choice
    /// For a map: `first` is 1 if pairs are read, `second` if pairs are written, plus 2 if they are sorted
    /// again.
    case detail
    /// For a choice: `first` is the block of a case, or −1 if it is refused; `second` is the number of its
    /// values.
    case entry
  }
  /// The operation.
  let operation: Operation
  /// The first number.
  var first: Int32 = 0
  /// The second number.
  var second: Int32 = 0
}
