import WorkoutSchemas
let url = URL(filePath: "workouts.annals")
let options = StoreOptions()
