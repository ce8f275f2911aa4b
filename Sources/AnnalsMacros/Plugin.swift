import AnnalsExpansion
import SwiftSyntaxMacros

@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

/// The macros of this package, by the names that `#externalMacro` uses.
struct Macros: PluginProvider {
  /// The error for a macro that this package does not have.
  struct Unknown: Error {
    let name: String
  }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    switch typeName {
    case "SchemaMacro": SchemaMacro.self
    case "RecordMacro": RecordMacro.self
    case "ValueMacro": ValueMacro.self
    case "FieldMacro": FieldMacro.self
    case "IndexedMacro": IndexedMacro.self
    case "UnknownCaseMacro": UnknownCaseMacro.self
    default: throw Unknown(name: typeName)
    }
  }
}

@main struct Plugin {
  static func main() throws {
    try CompilerPluginMessageListener(connection: StandardIOMessageConnection(), provider: Macros()).main()
  }
}
