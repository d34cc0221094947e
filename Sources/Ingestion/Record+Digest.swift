package import EventLog
import Primitives

extension Record {
    /// Whether the body has the digest of the evidence, as those of catalogues and rates do.
    package func statesDigest(of evidence: [UInt8]) -> Bool {
        let digest = (try? JSONDocument(parsing: body).root["digest"]?.string).flatMap(Digest.init(hex:))
        return digest == .sha256(of: evidence)
    }
}
