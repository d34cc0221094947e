import Glibc

enum ProcessEnvironment {
    static func value(_ name: String) -> String? {
        // The string of getenv is copied immediately, and nothing here changes the environment.
        getenv(name).map { String(cString: $0) }
    }
}
