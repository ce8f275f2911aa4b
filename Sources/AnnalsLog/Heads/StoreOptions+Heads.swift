internal import AnnalsFormat

extension StoreOptions {
  /// The number of heads for which ``headMemory`` is enough.
  package var headLimit: Int {
    HeadSlots.limit(
      in: headMemory, entriesPerMerge: mergeInterval.fitting(memory: headMemory).entries)
  }
}
