// Users write `import Annals` and nothing else: the layers below are part of its interface.
@_exported public import AnnalsCoding
@_exported public import AnnalsSchema
