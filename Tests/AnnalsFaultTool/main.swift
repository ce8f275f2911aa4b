import AnnalsFaults

await FaultProgram.main()
