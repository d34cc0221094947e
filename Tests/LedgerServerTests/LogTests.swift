import AppStoreSimulation
import HTTPTypes
import HummingbirdTesting
import LedgerConfiguration
import Logging
import Primitives
import Testing

@Suite struct LogTests {
    /// Texts that only the callers know; the log must hold none of them.
    private static let marks = ["MARKED-customer", "MARKED-bundle", "MARKED-query", "410000000000001"]

    @Test func `a JSON line is an object with its metadata as members`() throws {
        let log = CapturedLog()
        var logger = log.logger(.json)
        logger[metadataKey: "b"] = "of the logger"
        logger.notice("said \"so\"\nagain", metadata: ["a": .stringConvertible(7), "c": ["x", "y"]])
        #expect(
            log.lines == [
                #"{"time":"1970-01-01T00:00:00.000Z","level":"notice","message":"said \"so\"\nagain","a":7,"#
                    + #""b":"of the logger","c":["x","y"]}"# + "\n"
            ])
    }

    @Test func `a text line is one line`() {
        let log = CapturedLog()
        log.logger(.text).warning("said\nso", metadata: ["a": "b\nc"])
        #expect(log.lines == ["1970-01-01T00:00:00.000Z warning said so a=b c\n"])
    }

    @Test func `what is below the level is not told`() {
        var settings = Settings.Logging()
        settings.level = .error
        #expect(settings.level.rawValue == Logger.Level.error.rawValue)
        #expect(Settings.Logging.Level.allCases.map(\.rawValue) == Logger.Level.allCases.map(\.rawValue))
    }
}
