// Every file of these tests uses values and schemas, as users write them, and directories and generators.
@_exported public import AnnalsCoding
@_exported public import AnnalsSchema
@_exported public import AnnalsShapes
@_exported public import AnnalsTestSupport
