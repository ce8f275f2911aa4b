/// How a store is opened.
public struct StoreOptions: Sendable {
  /// What the opener may do.
  public enum Access: Sendable {
    /// Read and append.
    case readWrite
    /// Read only. Nothing in the store's directory is changed but LMDB's table of readers, and on a read-only file system not even that.
    case readOnly
  }

  /// What happens where there is no store.
  public enum Creation: Sendable {
    /// A store is created if nothing is there.
    case ifMissing
    /// A missing store is an error.
    case never
    /// A store that is there already is an error.
    case always
  }

  /// What the opener may do.
  public var access: Access
  /// What happens where there is no store. Opening for reading never creates one.
  public var creation: Creation
  /// The most bytes that a payload may have: 1 to 100 MiB.
  public var maximumPayload: Int

  /// Read and append, creating the store if it is missing, with payloads of up to 64 MiB.
  public init(
    access: Access = .readWrite, creation: Creation = .ifMissing, maximumPayload: Int = 64 << 20
  ) {
    self.access = access
    self.creation = creation
    self.maximumPayload = maximumPayload
  }
}
