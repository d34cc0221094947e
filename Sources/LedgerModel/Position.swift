/// An event's place in the log: 0, 1, 2 … without gaps. As a size it counts the events below it.
package typealias Position = UInt64
