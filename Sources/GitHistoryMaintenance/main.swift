import AnnalsCommand
import GitHistory

await MaintenanceCommand<HistoryPlan>.main(projections: [Authors.self, ChangedFiles.self])
