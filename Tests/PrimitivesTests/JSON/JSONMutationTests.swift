import AppStoreSimulation
import FoundationEssentials
import LedgerTesting
import Primitives
import Testing

@Suite("JSON under mutation")
struct JSONMutationTests {
    static let samples = [
        #"{"notificationType":"DID_RENEW","data":{"appAppleId":1470168868,"bundleId":"com.example","price":5990}}"#,
        #"{"a":[1,-2.5e3,30,true,false,null,"x\n\u00e9\ud83d\ude00"],"b":{"c":{},"d":[]}," ":"é€😀"}"#,
        #"[[[[{"k":"v"}]]],"0123456789abcdefghijklmnopqrstuvwxyz","\\\"\/"]"#,
        "  { \"x\" : [ 1 , 2 ] ,\n\t\"y\" : 1e-7 }  ",
    ]
    static let letters =
        Array(#"{}[]":,\/bfnrtu0123456789.eE+-aA tfnulrs"#.utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xFF]

    static func mutate(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0...random.below(3) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(5) {
            case 0: bytes[place] ^= 1 << UInt8(random.below(8))
            case 1: bytes[place] = random.element(of: letters)
            case 2: bytes.insert(random.element(of: letters), at: place)
            case 3: bytes.remove(at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(12)))
            }
        }
        return bytes
    }

    /// The other reader also accepts duplicate keys (and never reads the earlier values), other encodings (which it
    /// detects by their zero bytes) and a comma before a closing bracket. It refuses numbers outside the range of a
    /// double. Otherwise both agree.
    @Test func `mutated texts never trap, and are read as another reader reads them`() {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        let decoder = JSONDecoder()
        var (accepted, refused) = (0, 0)
        for _ in 0..<(TestEnvironment.isLong ? 2_000_000 : 60_000) {
            let bytes = Self.mutate(random.element(of: Self.samples), &random)
            let theirs = try? decoder.decode(JSONTree.self, from: Data(bytes))
            let comment = Comment(rawValue: "seed \(TestEnvironment.seed): \(String(decoding: bytes, as: UTF8.self))")
            if let ours = (try? JSONDocument(parsing: bytes)).map({ JSONTree($0.root) }) {
                accepted += 1
                #expect(ours == theirs || theirs == nil && ours.holdsExtremeNumber, comment)
            } else {
                refused += 1
                guard let theirs, !bytes.contains(0), !Self.hasTrailingComma(bytes) else { continue }
                #expect(theirs.memberCount < Self.colonsOutsideStrings(bytes), comment)
            }
        }
        #expect(accepted > 1_000 && refused > 1_000)
    }

    private static func hasTrailingComma(_ bytes: [UInt8]) -> Bool {
        let text = bytes.filter { $0 > 0x20 }
        return zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: ",") && ($1 == 0x5D || $1 == 0x7D) }
    }

    /// The number of members in the objects of a text, including duplicates.
    private static func colonsOutsideStrings(_ bytes: [UInt8]) -> Int {
        var (count, isInString, isEscaped) = (0, false, false)
        for byte in bytes {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: ":") where !isInString: count += 1
            default: break
            }
        }
        return count
    }
}
