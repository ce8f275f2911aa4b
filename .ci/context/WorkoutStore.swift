import WorkoutSchemas
let store = try EventStore(at: URL(filePath: "workouts.annals"), plan: WorkoutPlan.self)
let log = store.log
