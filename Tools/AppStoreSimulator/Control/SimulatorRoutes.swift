import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import Hummingbird
import Primitives
import ServiceLifecycle

/// The routes of the simulator itself: its clock, its truth and its deliveries.
struct SimulatorRoutes: Sendable {
    let store: SimulatedAppStore

    func add(to router: Router<BasicRequestContext>) {
        router.get("/simulator/clock") { request, _ in try await SimulatorProblem.answer { try await clock(request) } }
        router.put("/simulator/clock") { request, _ in try await SimulatorProblem.answer { try await setClock(request) }
        }
        router.get("/simulator/truth") { request, _ in try await SimulatorProblem.answer { try await truth(request) } }
        router.get("/simulator/changes") { _, _ in try await SimulatorProblem.answer { await changes() } }
        router.get("/simulator/deliveries") { _, _ in try await SimulatorProblem.answer { await deliveries() } }
    }
}

// MARK: - Clock

extension SimulatorRoutes {
    /// With `after`, answers once the clock is past that instant.
    private func clock(_ request: Request) async throws -> JSONValue {
        if let text = request.items.first(where: { $0.name == "after" })?.value {
            let instant = try Self.instant(text, "after")
            // Otherwise the server would wait for the answer before it stops.
            _ = await withGracefulShutdownHandler {
                await store.follow(after: instant)
            } onGracefulShutdown: {
                Task { await store.releaseFollowers() }
            }
        }
        return await clock()
    }

    private func clock() async -> JSONValue {
        let state = await store.clockState
        return .object([
            "now": JSONValue(state.now), "speed": .string(state.speed.text), "playingTo": JSONValue(state.goal),
            "unsent": .integer(Int64(await store.unsentCount)),
        ])
    }

    /// Sets the speed, and plays to an instant. Answers when the clock is there and everything due has been sent.
    private func setClock(_ request: Request) async throws -> JSONValue {
        let body = try await RequestBody(ofSimulator: request)
        if body.has("speed") {
            let text = body.text("speed") ?? body.integer("speed").map { "\($0)" } ?? ""
            guard let speed = VirtualClock.Speed(parsing: text) else {
                throw SimulatorProblem.invalid("`speed` is `max` or a multiple of real time such as `60x`, or 0")
            }
            await store.set(speed)
        }
        if body.has("now") {
            let instant = try Self.instant(body.text("now") ?? "", "now")
            guard instant >= (await store.now) else {
                throw SimulatorProblem.conflict("the clock does not go back: it is \((await store.now).iso8601)")
            }
            await store.play(to: instant)
            while await store.isPlaying { try await Task.sleep(for: .milliseconds(5)) }
        }
        return await clock()
    }

    private static func instant(_ text: String, _ name: String) throws -> Instant {
        guard let instant = Instant(iso8601: text) ?? Int64(text).map({ Instant(milliseconds: $0) }) else {
            throw SimulatorProblem.invalid("`\(name)` is an instant (ISO 8601 or milliseconds), not `\(text)`")
        }
        return instant
    }
}

// MARK: - What is true, and what was sent

extension SimulatorRoutes {
    private func truth(_ request: Request) async throws -> JSONValue {
        let now = await store.now
        var instant = now
        if let text = request.items.first(where: { $0.name == "at" })?.value {
            instant = try Self.instant(text, "at")
            guard instant <= now else { throw SimulatorProblem.conflict("it is only \(now.iso8601)") }
        }
        return TruthReport(at: instant, seed: store.configuration.simulation.seed, await store.truth(at: instant)).json
    }

    /// Returns the kinds of change, each with the first customers to whom it has happened.
    private func changes() async -> JSONValue {
        let customers = await store.customersByChange
        return .object(
            customers.keys.map(\.rawValue).sorted().map { name in
                let found = ChangeKind(rawValue: name).flatMap { customers[$0] } ?? []
                return .init(name, .array(found.map { .integer(Int64($0)) }))
            })
    }

    private func deliveries() async -> JSONValue {
        .array(
            await store.deliveries.map { delivery in
                let notification = delivery.notification
                return .object([
                    "version": .integer(delivery.version1Type == nil ? 2 : 1),
                    "notificationUUID": .string(delivery.uuid),
                    "notificationType": JSONValue(
                        delivery.version1Type?.rawValue ?? notification.notificationType?.rawValue),
                    "subtype": JSONValue(notification.subtype?.rawValue),
                    "originalTransactionId": JSONValue(notification.originalTransactionId),
                    "signedDate": JSONValue(notification.signedDate),
                    "attempts": .array(
                        delivery.attempts.map {
                            .object(["date": JSONValue($0.date), "result": .string($0.result.rawValue)])
                        }),
                    "nextAttempt": JSONValue(delivery.nextAttempt), "lost": .bool(delivery.isLost),
                    "delivered": .bool(delivery.isSuccessful),
                ])
            })
    }
}

/// The reason why the simulator does not do what it is asked.
struct SimulatorProblem: Error {
    let status: HTTPResponse.Status
    let code: String
    let message: String

    static func invalid(_ message: String) -> SimulatorProblem {
        SimulatorProblem(status: .badRequest, code: "parameter_invalid", message: message)
    }

    static func conflict(_ message: String) -> SimulatorProblem {
        SimulatorProblem(status: .conflict, code: "not_possible_now", message: message)
    }

    var json: JSONValue { .object(["code": .string(code), "message": .string(message)]) }

    /// Answers with the JSON that `body` returns, or with the problem that it throws.
    static func answer(_ body: () async throws -> JSONValue) async throws -> Response {
        do {
            return .json(try await body())
        } catch let problem as SimulatorProblem {
            return .json(problem.json, status: problem.status)
        }
    }
}
