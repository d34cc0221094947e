import CMS
import LedgerModel
import Primitives
import TransparencyLog

/// The text of a bundle's README.md: its checks, as commands.
struct BundleReadme {
    let question: BundleQuestion
    let origin: String
    let contents: BundleContents
    let extent: BundleExtent

    var text: String {
        """
        # An audit bundle of \(origin)

        Question: \(String(decoding: question.json.canonical(), as: UTF8.self))

        The answer is in answer/answer.json, the \(contents.entries.count) events that it was read from are listed in \
        index.ndjson. The checks below need no access to the ledger. Run the commands in the folder with these files.
        This is personal data: evidence contains what Apple signed about purchases and may name a customer.

        ## 1. Get the keys elsewhere

        The public keys of the log (`\(origin)`) and of its bundles (`\(origin)/bundle`) must come from another channel \
        than this bundle, for example from a contract. `subledger audit key show` prints them. Apple publishes its root \
        certificates at https://www.apple.com/certificateauthority/.

        `subledger audit check` does all of the following, and folds the events again.

        ## 2. Nothing was altered since the operator made the bundle

        ```sh
        sha256sum --quiet --strict --check SHA256SUMS
        ```

        SHA256SUMS.note is a signed note (C2SP) by the bundle key over the SHA-256 of SHA256SUMS. SHA256SUMS names every \
        file but itself and the note. It does not show that the operator is right.

        ## 3. Each event is in the log

        records/P.bin is the event at position P. SHA-256(0x00 ‖ record) and proofs/P.tlog-proof (C2SP tlog-proof) lead to \
        the root in checkpoint, which the log's key signed for \(extent.head.size) events. Only cosignatures of witnesses \
        whom you know show that everybody sees the same log.

        ## 4. The evidence was logged

        Bytes 40 to 72 of a record are the SHA-256 of its evidence, bytes 72 to 76 its length, little-endian. \
        \(contents.count(.withheld)) pages of Apple's also concern others: P-0.json is the page without them, P-1.jws … \
        are its signed parts. \(contents.count(.erased)) were erased.

        ## 5. Apple signed it

        Each JWS has a signature (ES256) by the first certificate in its header. The certificates are valid at the time \
        of signing, so the commands also succeed after they have expired. Compare the SHA-256 of the root with the one \
        that Apple publishes. \(contents.restsOnConfiguredRoot ? Self.configuredRoot : "")

        ```sh
        \(certificateCommands.joined(separator: "\n"))
        ```

        ## 6. The log was anchored

        \(anchorText)
        ## 7. The answer follows from the events

        `subledger audit check` folds the events under answer/rules.json and compares the result with answer/answer.json. \
        It cannot show that no event was left out: only the whole log (`subledger audit verify --deep`) or Apple's own \
        history can. Events of trust fetched, sharedSecret, asserted and own are the operator's word.

        """
    }

    private static let configuredRoot =
        "Some chains end in a root that the operator configured, as for tests: they prove nothing about Apple. "

    /// A chain at the first and the last of its times.
    private var certificateCommands: [String] {
        let byChain = Dictionary(grouping: contents.chains.filter { !$0.isReceipt }, by: \.certificates)
        var lines: [String] = []
        for (certificates, chains) in byChain where certificates.count == 3 {
            let times = chains.map { $0.at.milliseconds.flooringDivided(by: 1_000) }
            let names = certificates.map { BundlePath.certificate(.sha256(of: $0)) }
            for time in Set([times.min() ?? 0, times.max() ?? 0]) {
                lines.append(
                    "openssl verify -attime \(time) -CAfile \(names[2]) -untrusted \(names[1]) \(names[0])")
            }
        }
        for (position, chain) in contents.receipts where chain.certificates.count == 3 {
            let names = chain.certificates.map { BundlePath.certificate(.sha256(of: $0)) }
            lines.append(
                "openssl cms -verify -inform DER -in \(BundlePath.evidence(position, "der")) -purpose any "
                    + "-auth_level 0 -attime \(chain.at.milliseconds.flooringDivided(by: 1_000)) -CAfile \(names[2]) "
                    + "-out /dev/null")
        }
        return lines.isEmpty ? ["true # nothing in this bundle is signed by Apple"] : lines.sorted()
    }

    private var anchorText: String {
        guard !extent.anchors.isEmpty else {
            return "This bundle has no anchor: nothing but the operator's clock says when the events were recorded.\n"
        }
        let chain = extent.authorities.intermediates.isEmpty ? "" : " -untrusted \(BundlePath.tsaChain)"
        let commands = extent.anchors.map { anchor, timeStamp in
            "openssl ts -verify -data \(BundlePath.anchor(anchor.size, "checkpoint")) "
                + "-in \(BundlePath.anchor(anchor.size, "tsr")) -CAfile \(BundlePath.tsaRoot)\(chain) "
                + "-attime \(timeStamp.genTime.milliseconds.flooringDivided(by: 1_000))"
        }
        return """
            A time stamp shows that the first N events existed at its time, whoever holds the log's key. \
            anchors/N-S.consistency leads from the root of N.checkpoint to that of checkpoint: nothing was rewritten \
            since. Get the root of the authority from the authority.

            ```sh
            \(commands.joined(separator: "\n"))
            ```

            """
    }
}
