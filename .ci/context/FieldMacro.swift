@Value struct Weighed {
// here
}
