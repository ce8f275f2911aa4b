@Schema(1, 0, 0) enum SelectedV1 {
  @Record struct FileChanged { var path: String }
  @Record struct CommitMade { var sha: String }
  @Record struct Enrolled { @Field(tag: "course") var course: String }
  @Record struct Left { @Field(tag: "course") var course: String }
}
struct Selecting {
  typealias Event = SelectedV1.Event
// here
}
