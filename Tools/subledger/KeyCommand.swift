import ArgumentParser
import LedgerConfiguration
import Primitives

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Manage API keys.", subcommands: [New.self])

    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an API key and print it with its configuration entry.",
            discussion: """
                The key is printed once. Add the printed entry to the configuration file, which stores only the \
                SHA-256 of the key.

                EXAMPLES
                  subledger key new --role backend --name web
                """)

        @Option(help: "Role of the key: app, backend, analyst, auditor or admin.")
        var role: Role

        @Option(help: "Name of the key.")
        var name: String

        @OptionGroup var output: OutputOptions

        /// 256 bits, 43 characters of base64url.
        private static let secretBytes = 32

        func run() throws {
            var generator = SystemRandomNumberGenerator()
            let secret = (0..<Self.secretBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let key = "sl_\(role.rawValue)_\(Base64URL.encode(secret))"
            let digest = Digest.sha256(of: key.utf8).hex
            let member = JSONValue.object([
                "name": .string(name), "role": .string(role.rawValue), "sha256": .string(digest),
            ])
            switch output.effectiveFormat {
            case .json:
                let answer = JSONValue.object(["key": .string(key), "apiKeys": .array([member])])
                Terminal.standardOutput.write(answer.serialized() + "\n")
            case .table:
                // JSON is valid YAML, so a name with any characters is quoted correctly.
                Terminal.standardOutput.write("\(key)\n\napiKeys:\n  - \(member.serialized())\n")
            }
        }
    }
}

extension Role: ExpressibleByArgument {}
