@Schema(1, 0, 0) enum Sensors {
// here
}
