import AnnalsCommand

await GenericCommand.main()
