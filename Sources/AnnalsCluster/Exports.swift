// Users write `import AnnalsCluster`: a store of a cluster has the interface of a store.
@_exported public import Annals
@_exported public import AnnalsReplication
