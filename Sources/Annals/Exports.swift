// Users write `import Annals` and nothing else: the layers below are part of its interface.
@_exported public import AnnalsAttachments
@_exported public import AnnalsCoding
@_exported public import AnnalsFormat
@_exported public import AnnalsLog
@_exported public import AnnalsMaintenance
@_exported public import AnnalsMigration
@_exported public import AnnalsProjections
@_exported public import AnnalsSchema
@_exported public import AnnalsShapes
@_exported public import AnnalsStore
@_exported public import AnnalsSubscriptions
@_exported public import AnnalsVerify
