import HTTPTypes
import Hummingbird
import LedgerModel
import Revenue
import SubscriptionLedger

/// Revenue by calendar bucket, recurring revenue, or movements of money: `GET /v1/revenue`.
struct RevenueRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/revenue"
    let access = Access.analyses
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.analysis(
            from: context, parameters: ["cut", "refunds", "mrr", "charges", "currency"]
        ) { query, analysis in
            var analysis = analysis
            analysis.currency = query.text("currency")
            if try query.flag("charges") {
                try query.refuse(["cut", "refunds", "mrr", "by", "zone"], with: "charges")
                return try context.reader.charges(analysis)
            }
            if let mrr = query.text("mrr") {
                try query.refuse(["cut", "refunds"], with: "mrr")
                let definition = try Rules.Revenue.RecurringRevenue(named: mrr)
                return try context.reader.recurringRevenue(analysis, definition: definition)
            }
            let name = query.text("refunds") ?? RevenueTable.Booking.movement.rawValue
            guard let booking = RevenueTable.Booking(rawValue: name) else {
                throw Problem.parameter("refunds", expected: "movement or sale", found: name)
            }
            return try context.reader.revenue(analysis, bookedBy: booking)
        }
    }
}
