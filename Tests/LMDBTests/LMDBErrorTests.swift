import LMDB
import Testing

@Suite("An error")
struct LMDBErrorTests {
    @Test(arguments: [
        (LMDBError.Code.MDB_MAP_FULL, "mdb_put: MDB_MAP_FULL: Environment mapsize limit reached"),
        (.MDB_CORRUPTED, "mdb_put: MDB_CORRUPTED: Located page was wrong type"),
        (.ENOSPC, "mdb_put: ENOSPC: No space left on device"),
        (LMDBError.Code(rawValue: 110), "mdb_put: errno 110: Connection timed out"),
    ])
    func `says what was done and what happened, by the names C has for them`(code: LMDBError.Code, text: String) {
        #expect("\(LMDBError(code, operation: "mdb_put"))" == text)
    }

    @Test func `says what was expected and what was found`() {
        let error = LMDBError(.MDB_INCOMPATIBLE, operation: "open", expected: "flags 8", found: "0")
        #expect(error.description.hasSuffix("; expected flags 8, found 0"))
    }

    @Test func `is the same as another of its code`() {
        #expect(LMDBError(.ENOSPC, operation: "a") == LMDBError(.ENOSPC, operation: "b"))
        #expect(LMDBError(.ENOSPC, operation: "a") != LMDBError(.EIO, operation: "a"))
    }
}
