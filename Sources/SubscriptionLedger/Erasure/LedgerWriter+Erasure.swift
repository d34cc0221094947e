import Dispatch
import EventLog
import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives
import ProjectionRuntime

extension LedgerWriter {
    /// Erases a person: forgets the caller's ids and tokens, with an event, and voids the customer's claims. With
    /// evidence, the signed data about the person is erased, too; the residue keeps its facts.
    ///
    /// Events and new customers are `busy` meanwhile; reading continues. The work continues if the caller is cancelled,
    /// and a crash after the event is completed at the next opening for writing.
    /// - Parameters:
    ///   - id: the caller's id, an appAccountToken or a handle.
    ///   - progress: called with the share that is done.
    /// - Throws: `customer_id_invalid`, `evidence_required`; `StorageError`: `busy` while another erasure runs, `locked`
    ///   while a projection is built, `disk_full` without room for the copies.
    package func erase(
        _ id: String, withEvidence: Bool, by caller: Caller, source: EventSource = .http,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> ErasureAnswer {
        let request = ErasureRequest(id: id, withEvidence: withEvidence)
        // Detached: neither a deadline nor a client that leaves ends the work.
        return try await Task.detached { [self] in
            try await log.pause()
            defer { log.resume() }
            try await vault.pause()
            defer { vault.resume() }
            try await completeInterrupted()
            return try await erase(request, by: caller, source, progress)
        }.value
    }

    private func erase(
        _ request: ErasureRequest, by caller: Caller, _ source: EventSource,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> ErasureAnswer {
        let found = try await DispatchQueue.global().run { [reader] in try PlannedErasure(request, in: reader) }
        guard let found else { return ErasureAnswer(erased: false, withEvidence: request.withEvidence) }
        let folder = configuration.folder
        try found.requireRoom(in: folder)
        // Rows of an outdated projection could have the tokens.
        let builds = request.withEvidence ? try ProjectionStore(folder).excludeBuilds() : nil
        let events = found.events(by: caller, source)
        let from = try reader.log.size()
        let intent = found.intent(events: from..<from + Position(events.count))
        try intent.store(in: folder)
        do {
            for event in events { _ = try await log.appendPaused([log.prepare(event)]) }
        } catch {
            if try !intent.hasBegun(in: reader.log) { try ErasureIntent.remove(from: folder) }
            throw error
        }
        var answer = found.answer(position: intent.events.upperBound - 1)
        let traces = try await DispatchQueue.global().run { [self] in try complete(intent, progress) }
        (answer.quarantined, answer.importRows) = (traces.quarantined, traces.importRows)
        withExtendedLifetime(builds) {}
        return answer
    }

    /// Completes an erasure that an error interrupted.
    private func completeInterrupted() async throws {
        guard let intent = try ErasureIntent.stored(in: configuration.folder) else { return }
        guard try intent.hasBegun(in: reader.log) else { return try ErasureIntent.remove(from: configuration.folder) }
        let builds = intent.withEvidence ? try ProjectionStore(configuration.folder).excludeBuilds() : nil
        _ = try await DispatchQueue.global().run { [self] in try complete(intent) { _ in } }
        withExtendedLifetime(builds) {}
    }

    /// Removes what an erasure forgets, after its events are in the log. The vault comes last, so that everything before
    /// is complete when it has forgotten the person.
    private func complete(
        _ intent: ErasureIntent, _ progress: (Double) -> Void
    ) throws -> ErasureTraces.Removed {
        let folder = configuration.folder
        let removed = try ErasureTraces.remove(intent, from: folder)
        if intent.withEvidence {
            try forgetInTransitions(intent.tokens)
            try ProjectionStore(folder).remove(TransitionProjection.name)
            let places = try intent.places(in: reader.log)
            if try !intent.isLogErased(places, in: reader.log) {
                try log.erase(places) { progress(0.5 * Double($0) / Double(max($1, 1))) }
            }
            try reader.facts.decodeAgain(reader.log) { progress(0.5 + 0.5 * Double($0) / Double(max($1, 1))) }
        }
        try vault.forget(intent.handles)
        reader.customerStates.removeAll()
        try ErasureIntent.remove(from: folder)
        return removed
    }

    private func forgetInTransitions(_ tokens: Set<AppAccountToken>) throws {
        if let feed = try withFeed({ $0 }) {
            // The rows about the erasure need the facts that it removes. A feed that is behind goes without them.
            try? feed.advance()
            return try feed.forget(tokens)
        }
        try withFeed { feed in
            if let feed { return try feed.forget(tokens) }
            try TransitionStore.forget(
                tokens, in: configuration.folder.transitions, mapSizeBytes: configuration.mapSizeBytes)
        }
    }
}

/// A request to erase a person.
package struct ErasureRequest: Hashable, Sendable {
    package let id: String
    package let withEvidence: Bool

    package init(id: String, withEvidence: Bool) {
        (self.id, self.withEvidence) = (id, withEvidence)
    }

    /// The body of the request.
    package var body: JSONValue { .object(["withEvidence": .bool(withEvidence)]) }

    /// Reads the body of a request.
    /// - Throws: `posting_malformed`.
    package init(id: String, body: JSONView) throws(CustomerError) {
        try body.requireMembers(["withEvidence"])
        self.init(id: id, withEvidence: try body.flag(of: "withEvidence"))
    }
}
