@Schema(1, 0, 0) enum ClubV1 {
  @Record struct MemberJoined { var member: String }
  @Record struct MemberLeft { var member: String }
}
func firstPositions(of history: StageHistory<ClubV1.Event>) throws {
// here
}
