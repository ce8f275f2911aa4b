internal import AnnalsCoding

/// One step of a conversion, as plain numbers: it runs once per event and field, and must not touch reference counts.
struct ConversionInstruction: BitwiseCopyable, Sendable {
  /// What is done. A block is a row of instructions up to `end`; in the comments, `first` and `second` are the two numbers.
  enum Operation: UInt8, BitwiseCopyable, Sendable {
    /// Leaves the block.
    case end
    /// Appends `second` bytes of the pool from `first` on.
    case put
    /// Enters an array of `first` elements.
    case enter
    /// Copies `first` items.
    case copy
    /// Copies all that is left.
    case copyRest
    /// Passes over `first` items.
    case skip
    /// Notes where the `first` fields of the record that was entered begin.
    case index
    /// Goes back or ahead to field `first` of the record that was entered.
    case seek
    /// Goes back to the head of the record that was entered.
    case restart
    /// Where null comes next, copies it and goes on at instruction `first`.
    case unlessNull
    /// Does the scalar step `first`.
    case scalar
    /// Runs the block `first`.
    case call
    /// Runs the block `first` for each element of an array.
    case list
    /// The same, and sorts.
    case set
    /// Runs the blocks `first` and `second` for each key and value; a `detail` follows.
    case map
    /// Takes a case and runs the block of its number; `first` times an `entry` follows.
    case choice
    /// Of a map: `first` is 1 where pairs are read, `second` where pairs are written, plus 2 where they are sorted again.
    case detail
    /// Of a choice: `first` is the block of a case, or −1 where it is refused; `second` how many values it holds.
    case entry
  }
  /// What is done.
  let operation: Operation
  /// The first number.
  var first: Int32 = 0
  /// The second number.
  var second: Int32 = 0
}
