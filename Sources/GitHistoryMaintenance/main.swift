import AnnalsCommand
import GitHistory

await MaintenanceCommand<HistoryPlan>.main()
