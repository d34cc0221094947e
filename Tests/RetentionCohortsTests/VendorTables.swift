/// Tables of the subscribers of `worked/retention.json` under the definitions of other vendors, worked by hand. Each
/// number can be checked with a pencil from the purchases there.
///
/// A member is a key and a product, so c09 and c10 are members twice: before and after their change of plan.
enum VendorTables {
    /// `revenuecat-2024-10`: whole days from the first standard payment to each later one, by 30 (weeks: 7), rounded
    /// half up.
    ///
    ///     c03  10 Jan: 0 31 59 days           k 0 1 2
    ///     c05  15 Jan: 0 36 59 90 120         k 0 1 2 3 4
    ///     c06   8 Jan: 0 52 83 113 144        k 0 2 3 4 5
    ///     c07  12 Jan: 0, the second is refunded in full
    ///     c08  refunded in full
    ///     c09  18 Jan: 0; pro from 2 Feb: 0 28 59 89 120
    ///     c10   6 Jan: 0; yearly from 6 Feb: 0
    ///     c13  25 Jan: 0 77 107               k 0 3 4
    ///     c14  14 Jan: 0 31; a prorated refund leaves the payment
    ///     c16   1 Feb: 0 28 59 89             k 0 1 2 3
    ///     c17  31 Jan: 0 28                   k 0 1
    ///
    /// `app-store-connect`: service at month k and 24 hours, no bridges, days of Los Angeles.
    ///
    ///     k = 1: c03 and c14 are in their second month, c16 and c17 too, c11 in its year. c05 and c06 are in their gaps.
    ///     k = 2: c03, c05, c06, c11, c16. c17 ended on 31 March, 19:00; s is 1 April, 20:00.
    ///     k = 3: c05, c06, c11, c13 (back since 12 April), c16.
    ///     k = 4: c05, c06, c11, c13. The grace of c16 is no bridge here.
    ///     k = 5: eligible are c03, c06, c07, c10, c11, c14, of them paying c06 and c11.
    static let text = """
        [{"definition": "revenuecat-2024-10", "zone": "UTC", "unknown": ["c20"], "cohorts": [
          {"cohort": "2025-01", "duration": "P1M", "size": 10,
           "members": ["c03", "c05", "c06", "c07", "c08", "c09", "c10", "c13", "c14", "c17"], "cells": [
            {"k": 0, "eligible": 10, "retained": 9, "pending": 0, "incomplete": false},
            {"k": 1, "eligible": 10, "retained": 4, "pending": 0, "incomplete": false},
            {"k": 2, "eligible": 10, "retained": 3, "pending": 0, "incomplete": false},
            {"k": 3, "eligible": 10, "retained": 3, "pending": 0, "incomplete": false},
            {"k": 4, "eligible": 10, "retained": 3, "pending": 0, "incomplete": false},
            {"k": 5, "eligible": 5, "retained": 1, "pending": 0, "incomplete": true}]},
          {"cohort": "2025-02", "duration": "P1M", "size": 2, "members": ["c09", "c16"], "cells": [
            {"k": 0, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 1, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 2, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 3, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 4, "eligible": 2, "retained": 1, "pending": 0, "incomplete": false}]},
          {"cohort": "2025-02", "duration": "P1Y", "size": 1, "members": ["c10"], "cells": [
            {"k": 0, "eligible": 1, "retained": 1, "pending": 0, "incomplete": false}]},
          {"cohort": "2024-10", "duration": "P1M", "size": 1, "members": ["c18"], "cells": [
            {"k": 0, "eligible": 1, "retained": 1, "pending": 0, "incomplete": false},
            {"k": 1, "eligible": 1, "retained": 0, "pending": 0, "incomplete": false},
            {"k": 2, "eligible": 1, "retained": 0, "pending": 0, "incomplete": false},
            {"k": 3, "eligible": 1, "retained": 0, "pending": 0, "incomplete": false},
            {"k": 4, "eligible": 1, "retained": 0, "pending": 0, "incomplete": false},
            {"k": 5, "eligible": 1, "retained": 0, "pending": 0, "incomplete": false},
            {"k": 6, "eligible": 1, "retained": 0, "pending": 0, "incomplete": false},
            {"k": 7, "eligible": 1, "retained": 0, "pending": 0, "incomplete": false}]}]},
         {"definition": "app-store-connect", "zone": "America/Los_Angeles", "unknown": ["c20"], "cohorts": [
          {"cohort": "2025-01", "duration": "P1M", "size": 13,
           "members": ["c03", "c05", "c06", "c07", "c08", "c09", "c10", "c11", "c12", "c13", "c14", "c16", "c17"],
           "cells": [
            {"k": 0, "eligible": 13, "retained": 12, "pending": 0, "incomplete": false},
            {"k": 1, "eligible": 13, "retained": 5, "pending": 0, "incomplete": false},
            {"k": 2, "eligible": 13, "retained": 5, "pending": 0, "incomplete": false},
            {"k": 3, "eligible": 13, "retained": 5, "pending": 0, "incomplete": false},
            {"k": 4, "eligible": 13, "retained": 4, "pending": 0, "incomplete": false},
            {"k": 5, "eligible": 6, "retained": 2, "pending": 0, "incomplete": true}]},
          {"cohort": "2025-02", "duration": "P1M", "size": 2, "members": ["c09", "c10"], "cells": [
            {"k": 0, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 1, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 2, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 3, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false},
            {"k": 4, "eligible": 2, "retained": 2, "pending": 0, "incomplete": false}]}]}]
        """
}
