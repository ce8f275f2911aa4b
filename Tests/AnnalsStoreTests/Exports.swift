// Every file of these tests uses directories and generators of `AnnalsTestSupport`. Files that are links to
// those of `AnnalsSchemaTests` do not import `Annals`.
@_exported public import Annals
@_exported public import AnnalsTestSupport
