import Primitives
import TransparencyLog

/// The key pair of the seed 00 01 … 1f.
enum TestKey {
    static let vkey = "ledger.example/log+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
    static let seed = (0...31).map { UInt8($0) }
    static let secretText = "PRIVATE+KEY+ledger.example/log+11639dd4+" + Base64.encode([1] + seed)

    static var signer: NoteSigner {
        get throws { try NoteSigner(secretText: secretText) }
    }
}

/// The checkpoint of the tree of 300 entries, signed by `TestKey`.
enum PublishedNote {
    static let text = "ledger.example/log\n300\nyjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg=\n"
    static let signature =
        "EWOd1LXil5ATuvqudh+Zep+VR34ASiBtuEyHsZWjDV9nnWd/OwPOPFVDrZMbo9mQjzIPym5wD+YVCYYwRVTv7zlalAI="
    static let note = "\(text)\n— ledger.example/log \(signature)\n"
}

/// Returns the code of the `TreeError` that `body` throws; nil if it throws none.
func treeErrorCode<Value>(_ body: () throws -> Value) -> TreeError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? TreeError)?.code
    }
}
