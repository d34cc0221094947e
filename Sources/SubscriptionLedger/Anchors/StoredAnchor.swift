import CMS
import Primitives
import TransparencyLog

/// A signed checkpoint, the request for its time stamp, and the response to it, as stored.
struct StoredAnchor {
    let size: UInt64
    /// The signed note. Its bytes are what is stamped.
    let note: [UInt8]
    let request: TimeStampRequest
    /// The accepted response; nil while the time stamp is pending.
    let response: [UInt8]?

    /// Reads the checkpoint, without its signature.
    /// - Throws: `note_malformed`, `checkpoint_malformed`.
    func checkpoint() throws(TreeError) -> Checkpoint {
        try Checkpoint(text: SignedNote(bytes: note).text)
    }

    /// Verifies the time stamp; returns nil while it is pending.
    func timeStamp(under authorities: TimeStampAuthorities) throws(TimeStampError) -> TimeStamp? {
        guard let response else { return nil }
        return try timeStamp(in: TimeStampResponse(parsing: response), under: authorities)
    }

    /// Verifies that a response has stamped the note.
    func timeStamp(
        in response: borrowing TimeStampResponse, under authorities: TimeStampAuthorities
    ) throws(TimeStampError) -> TimeStamp {
        let request = TimeStampRequest(imprint: Digest.sha256(of: note), nonce: request.nonce)
        return try response.verify(request, roots: authorities.roots, intermediates: authorities.intermediates)
    }
}

/// The certificates under which time stamps are verified, as DER.
struct TimeStampAuthorities {
    /// The trusted ones.
    var roots: [[UInt8]] = []
    /// More for the paths to the roots. Nothing depends on their origin.
    var intermediates: [[UInt8]] = []
}
