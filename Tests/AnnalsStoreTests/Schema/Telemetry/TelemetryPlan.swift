import Annals

// Written by Tests/Scripts/telemetry-schemas.sh.

/// Every stage renames attributes as its version declares; records without a rule are unchanged.
enum TelemetryPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Telemetry1_4_0, Telemetry1_44_0> {
    MigrationStage.custom(fromVersion: Telemetry1_4_0.self, toVersion: Telemetry1_5_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_5_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_5_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_5_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_5_0.self, toVersion: Telemetry1_6_1.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_6_1.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_6_1.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_6_1.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_6_1.self, toVersion: Telemetry1_7_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_7_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_7_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_7_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_7_0.self, toVersion: Telemetry1_8_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_8_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_8_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_8_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_8_0.self, toVersion: Telemetry1_9_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_9_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_9_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_9_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_9_0.self, toVersion: Telemetry1_10_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_10_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_10_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_10_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_10_0.self, toVersion: Telemetry1_11_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_11_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_11_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_11_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_11_0.self, toVersion: Telemetry1_12_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_12_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_12_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_12_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_12_0.self, toVersion: Telemetry1_13_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_13_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_13_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_13_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_13_0.self, toVersion: Telemetry1_14_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_14_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_14_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_14_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_14_0.self, toVersion: Telemetry1_15_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_15_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_15_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_15_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_15_0.self, toVersion: Telemetry1_16_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_16_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_16_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_16_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_16_0.self, toVersion: Telemetry1_17_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_17_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_17_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_17_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_17_0.self, toVersion: Telemetry1_18_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_18_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_18_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_18_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_18_0.self, toVersion: Telemetry1_19_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_19_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_19_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_19_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_19_0.self, toVersion: Telemetry1_20_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_20_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_20_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_20_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_20_0.self, toVersion: Telemetry1_21_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_21_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_21_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_21_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_21_0.self, toVersion: Telemetry1_22_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_22_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_22_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_22_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_22_0.self, toVersion: Telemetry1_23_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_23_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_23_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_23_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_23_0.self, toVersion: Telemetry1_23_1.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_23_1.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_23_1.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_23_1.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_23_1.self, toVersion: Telemetry1_24_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_24_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_24_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_24_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_24_0.self, toVersion: Telemetry1_25_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_25_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_25_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_25_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_25_0.self, toVersion: Telemetry1_26_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_26_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_26_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_26_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_26_0.self, toVersion: Telemetry1_27_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_27_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_27_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_27_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_27_0.self, toVersion: Telemetry1_28_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_28_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_28_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_28_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_28_0.self, toVersion: Telemetry1_29_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_29_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_29_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_29_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_29_0.self, toVersion: Telemetry1_30_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_30_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_30_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_30_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_30_0.self, toVersion: Telemetry1_31_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_31_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_31_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_31_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_31_0.self, toVersion: Telemetry1_32_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_32_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_32_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_32_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_32_0.self, toVersion: Telemetry1_33_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_33_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_33_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_33_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_33_0.self, toVersion: Telemetry1_34_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_34_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_34_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_34_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_34_0.self, toVersion: Telemetry1_35_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_35_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_35_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_35_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_35_0.self, toVersion: Telemetry1_36_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_36_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_36_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_36_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_36_0.self, toVersion: Telemetry1_37_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_37_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_37_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_37_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_37_0.self, toVersion: Telemetry1_38_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_38_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_38_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_38_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_38_0.self, toVersion: Telemetry1_39_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_39_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_39_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_39_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_39_0.self, toVersion: Telemetry1_40_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_40_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_40_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_40_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_40_0.self, toVersion: Telemetry1_41_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_41_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_41_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_41_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_41_0.self, toVersion: Telemetry1_41_1.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_41_1.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_41_1.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_41_1.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_41_1.self, toVersion: Telemetry1_42_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_42_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_42_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_42_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_42_0.self, toVersion: Telemetry1_43_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_43_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_43_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_43_0.version) }
    }
    MigrationStage.custom(fromVersion: Telemetry1_43_0.self, toVersion: Telemetry1_44_0.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in old.renamed(in: Telemetry1_44_0.version) }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in old.renamed(in: Telemetry1_44_0.version) }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in old.renamed(in: Telemetry1_44_0.version) }
    }
  }
}
