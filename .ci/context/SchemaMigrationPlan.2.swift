import WorkoutSchemas
enum Releases {
// here
}
