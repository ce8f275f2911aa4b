@Schema(1, 0, 0) enum TeamsV1 {
  @Record struct TeamFounded { var name: String }
  @Record struct PlayerAdded { var team: String }
}
