// from Bank
func decide() -> DecidedEvents<BankV2.Event> {
// here
}
