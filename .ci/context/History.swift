@Schema(3, 0, 0) enum HistoryV3 {
  @Record struct FileChanged { var path: String; var blob: String? }
  @Record struct CommitMade { var author: String }
}
