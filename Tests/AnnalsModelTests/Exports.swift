// These tests are compiled before `Annals`, and so are the files that are links to those of `AnnalsTests`.
@_exported public import AnnalsCoding
@_exported public import AnnalsFormat
@_exported public import AnnalsLog
@_exported public import AnnalsSchema
@_exported public import AnnalsShapes
@_exported public import AnnalsStore
@_exported public import AnnalsTestSupport
