import AnnalsTesting
import Testing
import WorkoutSchemas
