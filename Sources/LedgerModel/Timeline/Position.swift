/// The place of an event in the log: 0, 1, 2 … without gaps. Used as a size, it is the number of events below it.
package typealias Position = UInt64
