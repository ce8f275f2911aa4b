import AnnalsCommand

await GenericCommand.main(
  called: "annals-swiftdata", verbs: [InspectVerb.self, ProposeVerb.self, ImportRowsVerb.self])
