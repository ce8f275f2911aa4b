import GitHistory

await Program.main()
