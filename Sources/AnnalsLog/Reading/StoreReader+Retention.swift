package import AnnalsCoding
package import AnnalsFormat

extension StoreReader {
  /// Returns the retention rules of the store, in the order of their prefixes.
  package func retentionRules() throws(AnnalsError) -> [RetentionRule] {
    var names: [String] = []
    try eachMetaName(beginningWith: RetentionRule.rowPrefix) { names.append($0) }
    var rules: [RetentionRule] = []
    for name in names {
      let rule = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in
        var reader = ByteReader(bytes)
        let prefix = String(name.dropFirst(RetentionRule.rowPrefix.count))
        let rule = try RetentionRule(prefix: prefix, &reader)
        try reader.finish()
        return rule
      }
      if let rule { rules.append(rule) }
    }
    return rules
  }
}
