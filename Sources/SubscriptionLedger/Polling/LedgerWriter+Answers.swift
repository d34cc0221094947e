package import AppStoreVerification
import EventLog
package import Ingestion
package import Primitives

/// The outcome of an answer of the App Store Server API.
package enum AnswerOutcome: Sendable {
    /// The event of the answer. A part in `refused` gave no facts; it is kept for a retry.
    case recorded(AppendResult, refused: [Refusal])
    /// A refusal of the answer as a whole.
    case refused(Refusal)
}

extension LedgerWriter {
    /// Records an answer that this process received from Apple. Its signed parts count as if each had been posted. Those
    /// of a refused answer are quarantined, so that nothing is lost.
    /// - Throws: `StorageError`; a retryable one changes nothing.
    package func record(
        _ answer: [UInt8], to question: ServerAPIQuestion, source: EventSource
    ) async throws -> AnswerOutcome {
        let drafted = await ingestion.draft(
            ofAnswer: answer, to: question, from: source, now: configuration.clock())
        switch drafted {
        case .success(let (draft, refused)):
            let event = log.prepare(draft)
            let result = try await append([event] + mappingsOfReceipts(for: [event], source))[0]
            for (refusal, part) in refused { _ = try await keep(part, refusal, source) }
            return .recorded(result, refused: refused.map(\.refusal))
        case .failure(let refusal):
            let parts = (try? JSONDocument(parsing: answer)).flatMap(ServerAPIAnswer.init)?.parts ?? []
            for part in parts { _ = try await keep(part.text, refusal, source) }
            return .refused(refusal)
        }
    }
}
