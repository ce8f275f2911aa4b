@Schema(1, 0, 0) enum WeightsV1 {
@Record struct Weighed {
var customerID: String
// here
}
}
