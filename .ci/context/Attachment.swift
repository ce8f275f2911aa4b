@Schema(1, 0, 0) enum AlbumV1 {
  @Record struct PhotoTaken {
    var title: String
    var photo: Attachment
  }
}
enum AlbumPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<AlbumV1, AlbumV1> {}
}
func keep(_ store: EventStore<AlbumPlan>, _ url: URL) async throws {
// here
}
