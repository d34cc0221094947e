import Glibc

enum ProcessEnvironment {
    static func value(_ name: String) -> String? {
        // getenv's string is copied before anything else runs; nothing here changes the environment.
        getenv(name).map { String(cString: $0) }
    }
}
