import ArgumentParser
import LedgerStorage
import Primitives
import SubscriptionLedger
import TransparencyLog

extension AuditCommand {
    struct Prove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the proof that an event is in the log (C2SP tlog-proof).",
            discussion: """
                The proof leads from the event's leaf hash to the root in the signed checkpoint at its end. It is checked \
                without the ledger, with the log's public key.

                EXAMPLES
                  subledger audit prove 17 > 17.tlog-proof
                  subledger audit prove 17 --size 1000
                """)

        @Argument(help: "Position of the event.")
        var position: UInt64

        @Option(help: "Size of the checkpoint (default: that of the log).")
        var size: UInt64?

        @OptionGroup var ledger: LedgerOptions

        func run() throws {
            Terminal.standardOutput.write(
                try ledger.reading().inclusionProof(of: position, inFirst: size).bytes)
        }
    }

    struct Consistency: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prove that the log begins with the events of an earlier checkpoint.",
            discussion: """
                OLD and NEW are log sizes, or files with checkpoints that this log signed. Without NEW, the current log is \
                meant. Fails with log_rewritten when the log does not begin with the events of such a checkpoint. Keep a \
                checkpoint outside the operator's reach to be able to ask.

                EXAMPLES
                  subledger audit checkpoint > kept.checkpoint
                  subledger audit consistency kept.checkpoint
                  subledger audit consistency 1000 2000
                """)

        @Argument(help: "The earlier checkpoint: a size or a file.")
        var old: String

        @Argument(help: "The later checkpoint: a size or a file (default: the current log).")
        var new: String?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let opened = try ledger.reading()
            let proof = try opened.consistencyProof(
                from: Self.kept(old), to: new.map(Self.kept) ?? .size(opened.size()))
            switch output.effectiveFormat {
            case .json: Terminal.standardOutput.write(proof.json.serialized() + "\n")
            case .table:
                Terminal.standardOutput.write(
                    "the log of \(proof.new) events begins with the \(proof.old) events of the earlier one\n"
                        + proof.path.map { $0.hex + "\n" }.joined())
            }
        }

        private static func kept(_ text: String) throws -> KeptCheckpoint {
            if let size = UInt64(text) { return .size(size) }
            return .note(try AnchorCommand.bytes(of: text))
        }
    }

    struct Cosign: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keep the cosignatures of witnesses on a checkpoint (C2SP tlog-cosignature).",
            discussion: """
                A witness cosigns only checkpoints that extend all that it has cosigned before, so whoever knows it need \
                not trust the log to show everybody the same events. Give the checkpoint to the witness, and the \
                cosigned one to this command. It is served at /checkpoint while the log has this size, and in bundles.

                EXAMPLES
                  subledger audit checkpoint > checkpoint
                  subledger audit cosign cosigned --witness "$WITNESS_VKEY"
                  subledger audit checkpoint --cosigned
                """)

        @Argument(help: "The cosigned checkpoint (- for stdin).")
        var file: String

        @Option(help: "Public key of a witness (repeatable).")
        var witness: [String]

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let witnesses = try witness.map { try WitnessVerifier(text: $0) }
            let added = try ledger.reading().addCosignatures(AnchorCommand.bytes(of: file), of: witnesses)
            switch output.effectiveFormat {
            case .json:
                Terminal.standardOutput.write(
                    JSONValue.object(["cosignatures": .array(added.map(\.json))]).serialized() + "\n")
            case .table:
                Terminal.standardOutput.write(
                    AnswerTable.table(added.map(\.json), ["witness", "size", "cosignedAt"]))
            }
        }
    }

    struct Publish: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the checkpoint, the tree and the records to a static folder (C2SP tlog-tiles).",
            discussion: """
                Any web server can serve the folder, and any monitor can follow it. Records have no evidence and no \
                external customer ids. A later run adds what is new; full tiles are never written again. An interrupted \
                run is continued. The checkpoint is the last file.

                EXAMPLES
                  subledger audit publish /var/www/log
                """)

        @Argument(help: "Folder, created if missing.")
        var folder: String

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let bar = output.showsProgress ? ShareProgressBar("publish") : nil
            defer { bar?.clear() }
            let published = try TileFolder(of: ledger.reading(), at: folder).publish { done, all in
                bar?.show(Double(done) / Double(max(all, 1)))
            }
            bar?.clear()
            switch output.effectiveFormat {
            case .json:
                Terminal.standardOutput.write(
                    JSONValue.object([
                        "size": .integer(Int64(clamping: published.size)), "files": JSONValue(published.files),
                        "before": published.before.map { .integer(Int64(clamping: $0)) } ?? .null,
                    ]).serialized() + "\n")
            case .table:
                Terminal.standardOutput.write("\(published.size) events, \(published.files) files written\n")
            }
        }
    }
}
