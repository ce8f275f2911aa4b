import AnnalsCommand

await GenericCommand.main(
  called: "annals-keys", verbs: [ForgetSubjectVerb.self, RotateVerb.self, PruneVerb.self])
