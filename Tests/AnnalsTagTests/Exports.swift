// Every file of these tests uses directories and generators of this module.
@_exported public import AnnalsTestSupport
