@Schema(1, 0, 0) enum AccountsV1 { @Record struct Registered { var name: String } }
