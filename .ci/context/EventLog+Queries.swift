func append(_ enrolled: NewEntry, to log: EventLog) async throws {
// here
}
