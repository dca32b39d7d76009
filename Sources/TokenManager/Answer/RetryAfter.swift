/// Reads `Retry-After` (RFC 9110 section 10.2.3): seconds, or one of the three forms of an HTTP-date (section 5.6.7).
package enum RetryAfter {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// How long to wait, at least zero; nil if the value is invalid.
    ///
    /// - Parameters:
    ///   - value: The field's value.
    ///   - unixTime: The time, in seconds since 1970.
    /// - Returns: The pause, at most a day.
    package static func parse(_ value: String, unixTime: Double) -> Duration? {
        let text = FieldText.trimmed(value)
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int(text) ?? .max, 86_400))
        }
        guard let date = secondsSince1970(text) else { return nil }
        return .seconds(min(max(Double(date) - unixTime, 0), 86_400))
    }

    /// The date in seconds since 1970; nil if the text is no date.
    package static func secondsSince1970(_ date: String) -> Int? {
        let words = date.split { $0 == " " || $0 == "," || $0 == "-" }
        let day: Substring
        let month: Substring
        let year: Substring
        let time: Substring
        if words.count == 6, words[5] == "GMT" {
            (day, month, year, time) = (words[1], words[2], words[3], words[4])
        } else if words.count == 5 {
            (month, day, time, year) = (words[1], words[2], words[3], words[4])
        } else {
            return nil
        }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(number)
        guard let day = number(day), (1...31).contains(day),
            let month = months.firstIndex(of: month.lowercased()),
            let year = number(year), year < 10_000, clock.count == 3,
            let hour = clock[0], hour < 24, let minute = clock[1], minute < 60, let second = clock[2], second <= 60
        else { return nil }
        // Two digits are RFC 850's year; such dates are of this century.
        let days = daysSince1970(year: year < 100 ? year + 2000 : year, month: month + 1, day: day)
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Counts days in eras of 400 years, with years that begin in March.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
