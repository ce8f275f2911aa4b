import Annals

/// A weighing as programs before and after a bridge write it.
@Schema(1, 0, 0) enum WeighingsV1 {
  @Record struct Weighed {
    var by: Int32
    var number: Int32
    var pounds: Double
  }
}

/// A bridge whose records programs of the first version read as their own.
@Schema(2, 0, 0, .bridge) enum SupersetWeighings {
  @Record struct Weighed {
    var by: Int32
    var number: Int32
    var pounds: Double
    var kilograms: Double?
  }
}

/// A bridge whose records are stored as the first version until it is active.
@Schema(2, 0, 0, .bridge) enum LoweredWeighings {
  @Record struct Weighed {
    var by: Int32
    var number: Int32
    var kilograms: Double
  }
}

/// The plan of programs of the first version.
enum FirstWeighings: SchemaMigrationPlan {
  static var stages: MigrationChain<WeighingsV1, WeighingsV1> {}
}

/// The plan of programs after the first bridge.
enum SupersetPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<WeighingsV1, SupersetWeighings> {
    MigrationStage.custom(fromVersion: WeighingsV1.self, toVersion: SupersetWeighings.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in
        .init(by: old.by, number: old.number, pounds: old.pounds, kilograms: old.pounds / 2)
      }
    }
  }
}

/// The plan of programs after the second bridge.
enum LoweredPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<WeighingsV1, LoweredWeighings> {
    MigrationStage.custom(fromVersion: WeighingsV1.self, toVersion: LoweredWeighings.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in
        .init(by: old.by, number: old.number, kilograms: old.pounds / 2)
      }
      Downcast(\.weighed, to: \.weighed) { new in
        .init(by: new.by, number: new.number, pounds: new.kilograms * 2)
      }
    }
  }
}

/// An event of a weighing in any version.
protocol Weighing: SchemaEvent {
  /// The weighing number `number` of the process `by`, whose weight follows from its number.
  static func weighing(by: Int32, _ number: Int32) -> Self
  /// The process that weighed, and the number, if the weight is the one that follows from it.
  var sound: (by: Int32, number: Int32)? { get }
}

extension WeighingsV1.Event: Weighing {
  static func weighing(by: Int32, _ number: Int32) -> Self {
    .weighed(.init(by: by, number: number, pounds: Double(number) * 2))
  }
  var sound: (by: Int32, number: Int32)? {
    switch self {
    case .weighed(let it): it.pounds == Double(it.number) * 2 ? (it.by, it.number) : nil
    }
  }
}

extension SupersetWeighings.Event: Weighing {
  static func weighing(by: Int32, _ number: Int32) -> Self {
    .weighed(.init(by: by, number: number, pounds: Double(number) * 2, kilograms: Double(number)))
  }
  var sound: (by: Int32, number: Int32)? {
    switch self {
    case .weighed(let it):
      it.pounds == Double(it.number) * 2 && it.kilograms == Double(it.number) ? (it.by, it.number) : nil
    }
  }
}

extension LoweredWeighings.Event: Weighing {
  static func weighing(by: Int32, _ number: Int32) -> Self {
    .weighed(.init(by: by, number: number, kilograms: Double(number)))
  }
  var sound: (by: Int32, number: Int32)? {
    switch self {
    case .weighed(let it): it.kilograms == Double(it.number) ? (it.by, it.number) : nil
    }
  }
}
