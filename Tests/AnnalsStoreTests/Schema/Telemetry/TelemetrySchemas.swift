import Annals

// Written by Tests/Scripts/telemetry-schemas.sh.

@Schema(1, 4, 0) enum Telemetry1_4_0 {
  struct ResourceSeen: TreeRecord, TelemetryRecord { var tree: CBOR }
  struct SpanEnded: TreeRecord, TelemetryRecord { var tree: CBOR }
  struct LogWritten: TreeRecord, TelemetryRecord { var tree: CBOR }
  struct Heartbeat: TreeRecord { var tree: CBOR }
}
@Schema(1, 5, 0) enum Telemetry1_5_0 {
  typealias ResourceSeen = Telemetry1_4_0.ResourceSeen
  typealias SpanEnded = Telemetry1_4_0.SpanEnded
  typealias LogWritten = Telemetry1_4_0.LogWritten
  typealias Heartbeat = Telemetry1_4_0.Heartbeat
}
@Schema(1, 6, 1) enum Telemetry1_6_1 {
  typealias ResourceSeen = Telemetry1_5_0.ResourceSeen
  typealias SpanEnded = Telemetry1_5_0.SpanEnded
  typealias LogWritten = Telemetry1_5_0.LogWritten
  typealias Heartbeat = Telemetry1_5_0.Heartbeat
}
@Schema(1, 7, 0) enum Telemetry1_7_0 {
  typealias ResourceSeen = Telemetry1_6_1.ResourceSeen
  typealias SpanEnded = Telemetry1_6_1.SpanEnded
  typealias LogWritten = Telemetry1_6_1.LogWritten
  typealias Heartbeat = Telemetry1_6_1.Heartbeat
}
@Schema(1, 8, 0) enum Telemetry1_8_0 {
  typealias ResourceSeen = Telemetry1_7_0.ResourceSeen
  typealias SpanEnded = Telemetry1_7_0.SpanEnded
  typealias LogWritten = Telemetry1_7_0.LogWritten
  typealias Heartbeat = Telemetry1_7_0.Heartbeat
}
@Schema(1, 9, 0) enum Telemetry1_9_0 {
  typealias ResourceSeen = Telemetry1_8_0.ResourceSeen
  typealias SpanEnded = Telemetry1_8_0.SpanEnded
  typealias LogWritten = Telemetry1_8_0.LogWritten
  typealias Heartbeat = Telemetry1_8_0.Heartbeat
}
@Schema(1, 10, 0) enum Telemetry1_10_0 {
  typealias ResourceSeen = Telemetry1_9_0.ResourceSeen
  typealias SpanEnded = Telemetry1_9_0.SpanEnded
  typealias LogWritten = Telemetry1_9_0.LogWritten
  typealias Heartbeat = Telemetry1_9_0.Heartbeat
}
@Schema(1, 11, 0) enum Telemetry1_11_0 {
  typealias ResourceSeen = Telemetry1_10_0.ResourceSeen
  typealias SpanEnded = Telemetry1_10_0.SpanEnded
  typealias LogWritten = Telemetry1_10_0.LogWritten
  typealias Heartbeat = Telemetry1_10_0.Heartbeat
}
@Schema(1, 12, 0) enum Telemetry1_12_0 {
  typealias ResourceSeen = Telemetry1_11_0.ResourceSeen
  typealias SpanEnded = Telemetry1_11_0.SpanEnded
  typealias LogWritten = Telemetry1_11_0.LogWritten
  typealias Heartbeat = Telemetry1_11_0.Heartbeat
}
@Schema(1, 13, 0) enum Telemetry1_13_0 {
  typealias ResourceSeen = Telemetry1_12_0.ResourceSeen
  typealias SpanEnded = Telemetry1_12_0.SpanEnded
  typealias LogWritten = Telemetry1_12_0.LogWritten
  typealias Heartbeat = Telemetry1_12_0.Heartbeat
}
@Schema(1, 14, 0) enum Telemetry1_14_0 {
  typealias ResourceSeen = Telemetry1_13_0.ResourceSeen
  typealias SpanEnded = Telemetry1_13_0.SpanEnded
  typealias LogWritten = Telemetry1_13_0.LogWritten
  typealias Heartbeat = Telemetry1_13_0.Heartbeat
}
@Schema(1, 15, 0) enum Telemetry1_15_0 {
  typealias ResourceSeen = Telemetry1_14_0.ResourceSeen
  typealias SpanEnded = Telemetry1_14_0.SpanEnded
  typealias LogWritten = Telemetry1_14_0.LogWritten
  typealias Heartbeat = Telemetry1_14_0.Heartbeat
}
@Schema(1, 16, 0) enum Telemetry1_16_0 {
  typealias ResourceSeen = Telemetry1_15_0.ResourceSeen
  typealias SpanEnded = Telemetry1_15_0.SpanEnded
  typealias LogWritten = Telemetry1_15_0.LogWritten
  typealias Heartbeat = Telemetry1_15_0.Heartbeat
}
@Schema(1, 17, 0) enum Telemetry1_17_0 {
  typealias ResourceSeen = Telemetry1_16_0.ResourceSeen
  typealias SpanEnded = Telemetry1_16_0.SpanEnded
  typealias LogWritten = Telemetry1_16_0.LogWritten
  typealias Heartbeat = Telemetry1_16_0.Heartbeat
}
@Schema(1, 18, 0) enum Telemetry1_18_0 {
  typealias ResourceSeen = Telemetry1_17_0.ResourceSeen
  typealias SpanEnded = Telemetry1_17_0.SpanEnded
  typealias LogWritten = Telemetry1_17_0.LogWritten
  typealias Heartbeat = Telemetry1_17_0.Heartbeat
}
@Schema(1, 19, 0) enum Telemetry1_19_0 {
  typealias ResourceSeen = Telemetry1_18_0.ResourceSeen
  typealias SpanEnded = Telemetry1_18_0.SpanEnded
  typealias LogWritten = Telemetry1_18_0.LogWritten
  typealias Heartbeat = Telemetry1_18_0.Heartbeat
}
@Schema(1, 20, 0) enum Telemetry1_20_0 {
  typealias ResourceSeen = Telemetry1_19_0.ResourceSeen
  typealias SpanEnded = Telemetry1_19_0.SpanEnded
  typealias LogWritten = Telemetry1_19_0.LogWritten
  typealias Heartbeat = Telemetry1_19_0.Heartbeat
}
@Schema(1, 21, 0) enum Telemetry1_21_0 {
  typealias ResourceSeen = Telemetry1_20_0.ResourceSeen
  typealias SpanEnded = Telemetry1_20_0.SpanEnded
  typealias LogWritten = Telemetry1_20_0.LogWritten
  typealias Heartbeat = Telemetry1_20_0.Heartbeat
}
@Schema(1, 22, 0) enum Telemetry1_22_0 {
  typealias ResourceSeen = Telemetry1_21_0.ResourceSeen
  typealias SpanEnded = Telemetry1_21_0.SpanEnded
  typealias LogWritten = Telemetry1_21_0.LogWritten
  typealias Heartbeat = Telemetry1_21_0.Heartbeat
}
@Schema(1, 23, 0) enum Telemetry1_23_0 {
  typealias ResourceSeen = Telemetry1_22_0.ResourceSeen
  typealias SpanEnded = Telemetry1_22_0.SpanEnded
  typealias LogWritten = Telemetry1_22_0.LogWritten
  typealias Heartbeat = Telemetry1_22_0.Heartbeat
}
@Schema(1, 23, 1) enum Telemetry1_23_1 {
  typealias ResourceSeen = Telemetry1_23_0.ResourceSeen
  typealias SpanEnded = Telemetry1_23_0.SpanEnded
  typealias LogWritten = Telemetry1_23_0.LogWritten
  typealias Heartbeat = Telemetry1_23_0.Heartbeat
}
@Schema(1, 24, 0) enum Telemetry1_24_0 {
  typealias ResourceSeen = Telemetry1_23_1.ResourceSeen
  typealias SpanEnded = Telemetry1_23_1.SpanEnded
  typealias LogWritten = Telemetry1_23_1.LogWritten
  typealias Heartbeat = Telemetry1_23_1.Heartbeat
}
@Schema(1, 25, 0) enum Telemetry1_25_0 {
  typealias ResourceSeen = Telemetry1_24_0.ResourceSeen
  typealias SpanEnded = Telemetry1_24_0.SpanEnded
  typealias LogWritten = Telemetry1_24_0.LogWritten
  typealias Heartbeat = Telemetry1_24_0.Heartbeat
}
@Schema(1, 26, 0) enum Telemetry1_26_0 {
  typealias ResourceSeen = Telemetry1_25_0.ResourceSeen
  typealias SpanEnded = Telemetry1_25_0.SpanEnded
  typealias LogWritten = Telemetry1_25_0.LogWritten
  typealias Heartbeat = Telemetry1_25_0.Heartbeat
}
@Schema(1, 27, 0) enum Telemetry1_27_0 {
  typealias ResourceSeen = Telemetry1_26_0.ResourceSeen
  typealias SpanEnded = Telemetry1_26_0.SpanEnded
  typealias LogWritten = Telemetry1_26_0.LogWritten
  typealias Heartbeat = Telemetry1_26_0.Heartbeat
}
@Schema(1, 28, 0) enum Telemetry1_28_0 {
  typealias ResourceSeen = Telemetry1_27_0.ResourceSeen
  typealias SpanEnded = Telemetry1_27_0.SpanEnded
  typealias LogWritten = Telemetry1_27_0.LogWritten
  typealias Heartbeat = Telemetry1_27_0.Heartbeat
}
@Schema(1, 29, 0) enum Telemetry1_29_0 {
  typealias ResourceSeen = Telemetry1_28_0.ResourceSeen
  typealias SpanEnded = Telemetry1_28_0.SpanEnded
  typealias LogWritten = Telemetry1_28_0.LogWritten
  typealias Heartbeat = Telemetry1_28_0.Heartbeat
}
@Schema(1, 30, 0) enum Telemetry1_30_0 {
  typealias ResourceSeen = Telemetry1_29_0.ResourceSeen
  typealias SpanEnded = Telemetry1_29_0.SpanEnded
  typealias LogWritten = Telemetry1_29_0.LogWritten
  typealias Heartbeat = Telemetry1_29_0.Heartbeat
}
@Schema(1, 31, 0) enum Telemetry1_31_0 {
  typealias ResourceSeen = Telemetry1_30_0.ResourceSeen
  typealias SpanEnded = Telemetry1_30_0.SpanEnded
  typealias LogWritten = Telemetry1_30_0.LogWritten
  typealias Heartbeat = Telemetry1_30_0.Heartbeat
}
@Schema(1, 32, 0) enum Telemetry1_32_0 {
  typealias ResourceSeen = Telemetry1_31_0.ResourceSeen
  typealias SpanEnded = Telemetry1_31_0.SpanEnded
  typealias LogWritten = Telemetry1_31_0.LogWritten
  typealias Heartbeat = Telemetry1_31_0.Heartbeat
}
@Schema(1, 33, 0) enum Telemetry1_33_0 {
  typealias ResourceSeen = Telemetry1_32_0.ResourceSeen
  typealias SpanEnded = Telemetry1_32_0.SpanEnded
  typealias LogWritten = Telemetry1_32_0.LogWritten
  typealias Heartbeat = Telemetry1_32_0.Heartbeat
}
@Schema(1, 34, 0) enum Telemetry1_34_0 {
  typealias ResourceSeen = Telemetry1_33_0.ResourceSeen
  typealias SpanEnded = Telemetry1_33_0.SpanEnded
  typealias LogWritten = Telemetry1_33_0.LogWritten
  typealias Heartbeat = Telemetry1_33_0.Heartbeat
}
@Schema(1, 35, 0) enum Telemetry1_35_0 {
  typealias ResourceSeen = Telemetry1_34_0.ResourceSeen
  typealias SpanEnded = Telemetry1_34_0.SpanEnded
  typealias LogWritten = Telemetry1_34_0.LogWritten
  typealias Heartbeat = Telemetry1_34_0.Heartbeat
}
@Schema(1, 36, 0) enum Telemetry1_36_0 {
  typealias ResourceSeen = Telemetry1_35_0.ResourceSeen
  typealias SpanEnded = Telemetry1_35_0.SpanEnded
  typealias LogWritten = Telemetry1_35_0.LogWritten
  typealias Heartbeat = Telemetry1_35_0.Heartbeat
}
@Schema(1, 37, 0) enum Telemetry1_37_0 {
  typealias ResourceSeen = Telemetry1_36_0.ResourceSeen
  typealias SpanEnded = Telemetry1_36_0.SpanEnded
  typealias LogWritten = Telemetry1_36_0.LogWritten
  typealias Heartbeat = Telemetry1_36_0.Heartbeat
}
@Schema(1, 38, 0) enum Telemetry1_38_0 {
  typealias ResourceSeen = Telemetry1_37_0.ResourceSeen
  typealias SpanEnded = Telemetry1_37_0.SpanEnded
  typealias LogWritten = Telemetry1_37_0.LogWritten
  typealias Heartbeat = Telemetry1_37_0.Heartbeat
}
@Schema(1, 39, 0) enum Telemetry1_39_0 {
  typealias ResourceSeen = Telemetry1_38_0.ResourceSeen
  typealias SpanEnded = Telemetry1_38_0.SpanEnded
  typealias LogWritten = Telemetry1_38_0.LogWritten
  typealias Heartbeat = Telemetry1_38_0.Heartbeat
}
@Schema(1, 40, 0) enum Telemetry1_40_0 {
  typealias ResourceSeen = Telemetry1_39_0.ResourceSeen
  typealias SpanEnded = Telemetry1_39_0.SpanEnded
  typealias LogWritten = Telemetry1_39_0.LogWritten
  typealias Heartbeat = Telemetry1_39_0.Heartbeat
}
@Schema(1, 41, 0) enum Telemetry1_41_0 {
  typealias ResourceSeen = Telemetry1_40_0.ResourceSeen
  typealias SpanEnded = Telemetry1_40_0.SpanEnded
  typealias LogWritten = Telemetry1_40_0.LogWritten
  typealias Heartbeat = Telemetry1_40_0.Heartbeat
}
@Schema(1, 41, 1) enum Telemetry1_41_1 {
  typealias ResourceSeen = Telemetry1_41_0.ResourceSeen
  typealias SpanEnded = Telemetry1_41_0.SpanEnded
  typealias LogWritten = Telemetry1_41_0.LogWritten
  typealias Heartbeat = Telemetry1_41_0.Heartbeat
}
@Schema(1, 42, 0) enum Telemetry1_42_0 {
  typealias ResourceSeen = Telemetry1_41_1.ResourceSeen
  typealias SpanEnded = Telemetry1_41_1.SpanEnded
  typealias LogWritten = Telemetry1_41_1.LogWritten
  typealias Heartbeat = Telemetry1_41_1.Heartbeat
}
@Schema(1, 43, 0) enum Telemetry1_43_0 {
  typealias ResourceSeen = Telemetry1_42_0.ResourceSeen
  typealias SpanEnded = Telemetry1_42_0.SpanEnded
  typealias LogWritten = Telemetry1_42_0.LogWritten
  typealias Heartbeat = Telemetry1_42_0.Heartbeat
}
@Schema(1, 44, 0) enum Telemetry1_44_0 {
  typealias ResourceSeen = Telemetry1_43_0.ResourceSeen
  typealias SpanEnded = Telemetry1_43_0.SpanEnded
  typealias LogWritten = Telemetry1_43_0.LogWritten
  typealias Heartbeat = Telemetry1_43_0.Heartbeat
}
