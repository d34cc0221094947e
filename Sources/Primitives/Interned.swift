import Synchronization

/// A value that is stored once per process. Two interned values are equal exactly when the values are.
///
/// Facts repeat few values: product ids, currencies, Apple's vocabulary. Interned, each takes one word, is compared as
/// one word, and is copied without reference counting. The values are kept until the process ends, so unverified input
/// must not be interned.
public struct Interned<Value: Internable>: Hashable, BitwiseCopyable, @unchecked Sendable {
    // The table keeps every entry until the process ends, and an entry never changes.
    @usableFromInline
    let entry: Unmanaged<InternTable<Value>.Entry>

    package init(_ value: Value) {
        self.init(Value.internTable.entry(of: value))
    }

    /// Returns the interned value; nil if the process has not interned it. Adds nothing to the table.
    package init?(existing value: Value) {
        guard let entry = Value.internTable.existingEntry(of: value) else { return nil }
        self.init(entry)
    }

    /// Creates the value with a number; nil if no value has it.
    package init?(index: UInt32) {
        guard let entry = Value.internTable.entry(at: index) else { return nil }
        self.init(entry)
    }

    private init(_ entry: InternTable<Value>.Entry) {
        self.entry = Unmanaged.passUnretained(entry)
    }

    package var value: Value { entry._withUnsafeGuaranteedRef(\.value) }

    /// The number of the value in this process, from 0.
    package var index: UInt32 { entry._withUnsafeGuaranteedRef(\.index) }

    @inlinable
    public static func == (left: Interned, right: Interned) -> Bool {
        left.entry.toOpaque() == right.entry.toOpaque()
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entry.toOpaque())
    }
}

/// A kind of values that can be interned, with the one table of its values.
public protocol Internable: Hashable, Sendable {
    static var internTable: InternTable<Self> { get }
}

/// The interned values of one type, each with its number.
public final class InternTable<Value: Internable>: Sendable {
    @usableFromInline
    final class Entry: Sendable {
        let value: Value
        let index: UInt32

        init(_ value: Value, index: UInt32) {
            self.value = value
            self.index = index
        }
    }

    private struct State {
        var entries: [Entry] = []
        var indices: [Value: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    func entry(of value: Value) -> Entry {
        state.withLock { state in
            if let index = state.indices[value] { return state.entries[index] }
            let entry = Entry(value, index: UInt32(state.entries.count))
            state.indices[value] = state.entries.count
            state.entries.append(entry)
            return entry
        }
    }

    func existingEntry(of value: Value) -> Entry? {
        state.withLock { state in state.indices[value].map { state.entries[$0] } }
    }

    func entry(at index: UInt32) -> Entry? {
        state.withLock { Int(index) < $0.entries.count ? $0.entries[Int(index)] : nil }
    }
}
