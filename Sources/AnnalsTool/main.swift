import AnnalsCommand

await AnnalsCommand.main()
