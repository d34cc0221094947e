package import LedgerModel
import LedgerStorage
import Primitives
import Yams

/// A catalogue file, read as a whole.
package struct CatalogFile: Sendable {
    /// The name of the file in errors.
    package let name: String
    package let text: String
    package let catalog: Catalog

    /// Reads a file of at most 1 MiB.
    /// - Throws: `ConfigurationError` `catalog_invalid`, with line and column for text that is not YAML, for unknown
    ///   keys and for bad values; without them for a file that cannot be read or that changed while it was read.
    package init(path: String) throws {
        let text: String
        do {
            text = try YAMLValue.text(of: path)
        } catch let failure as InputFailure {
            throw ConfigurationError(
                path, "the catalogue cannot be read", found: failure.reason, code: .catalogInvalid)
        } catch let error as ConfigurationError {
            throw ConfigurationError(.catalogInvalid, error.place, error.diagnosis)
        }
        try self.init(text: text, name: path)
    }

    /// - Throws: `catalog_invalid` with line and column.
    package init(text: String, name: String) throws(ConfigurationError) {
        self.name = name
        self.text = text
        catalog = try Catalog(yaml: text, file: name)
    }

    /// Returns the error for a product that contradicts the log, with the place of the member, or that of the product
    /// if it lacks the member.
    package func error(_ contradiction: CatalogCheck.Contradiction) -> ConfigurationError {
        let member = contradiction.member.rawValue
        let stated = contradiction.stated.joined(separator: " or ")
        let product = catalog.product(contradiction.product)
        let found = contradiction.member == .type ? product?.kind.rawValue : product?.group?.text
        return ConfigurationError(
            place(ofProduct: contradiction.product.text, member: member) ?? name,
            "the \(member) of product \(contradiction.product.text) contradicts transactions in the log",
            expected: stated, found: found ?? "none", code: .catalogInvalid)
    }

    private func place(ofProduct id: String, member: String) -> String? {
        guard let products = try? YAMLValue.parse(text, name)?.mapping?["products"]?.sequence,
            let product = products.first(where: { $0.mapping?["id"]?.scalar?.string == id })
        else { return nil }
        return YAMLValue.place(of: product.mapping?[member] ?? product, in: name)
    }
}
