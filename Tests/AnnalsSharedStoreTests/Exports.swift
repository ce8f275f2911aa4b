// Files that are links to those of `AnnalsSchemaTests` do not import `Annals`.
@_exported public import Annals
