import Glibc
import Primitives

/// The wall clock. The library receives it as a parameter.
enum SystemClock {
    static func now() -> Instant {
        var time = timespec()
        // CLOCK_REALTIME exists on every Linux system, so the call cannot fail.
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    static func seconds(since start: Instant) -> Double {
        Double(now().milliseconds - start.milliseconds) / 1_000
    }
}
