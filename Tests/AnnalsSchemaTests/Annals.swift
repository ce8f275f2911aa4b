/// The names by which the macros write the library's types, as members of the module `Annals`. These tests
/// are compiled before that module is.
public enum Annals {
  public typealias AnnalsError = AnnalsCoding.AnnalsError
  public typealias CarriedRecord = AnnalsSchema.CarriedRecord
  public typealias CaseShape = AnnalsShapes.CaseShape
  public typealias CodingFailure = AnnalsCoding.CodingFailure
  public typealias EventBuffer = AnnalsSchema.EventBuffer
  public typealias EventTag = AnnalsCoding.EventTag
  public typealias FieldReader = AnnalsShapes.FieldReader
  public typealias FieldShape = AnnalsShapes.FieldShape
  public typealias FieldTags = AnnalsCoding.FieldTags
  public typealias FieldWriter = AnnalsShapes.FieldWriter
  public typealias Origin = AnnalsSchema.Origin
  public typealias Record = AnnalsSchema.Record
  public typealias RecordCase = AnnalsSchema.RecordCase
  public typealias RecordStep = AnnalsSchema.RecordStep
  public typealias SchemaEvent = AnnalsSchema.SchemaEvent
  public typealias SchemaRecord = AnnalsSchema.SchemaRecord
  public typealias SchemaStability = AnnalsCoding.SchemaStability
  public typealias SchemaVersion = AnnalsCoding.SchemaVersion
  public typealias ShapeTypes = AnnalsShapes.ShapeTypes
  public typealias ShapedRecord = AnnalsSchema.ShapedRecord
  public typealias StepFailure = AnnalsSchema.StepFailure
  public typealias StepSource = AnnalsSchema.StepSource
  public typealias StoredValue = AnnalsShapes.StoredValue
  public typealias ValueShape = AnnalsShapes.ValueShape
  public typealias VersionedSchema = AnnalsSchema.VersionedSchema
}
