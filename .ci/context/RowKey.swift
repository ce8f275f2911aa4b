struct Scored {
  var match: String
  var innings: Int
// here
}
