// from WorkoutStore
