/// The keys of a listener that say who may connect to the file of its Unix socket.
struct SocketFileSettings {
    let mode: Setting?
    let user: Setting?
    let group: Setting?

    /// The listener with these settings; nil after a problem.
    func apply(to listener: ListenerConfiguration, _ context: LoadContext) -> ListenerConfiguration? {
        let given = [mode, user, group].compactMap(\.self)
        guard !given.isEmpty else { return listener }
        guard case .unix(let path, var file) = listener.address, !path.hasPrefix("@") else {
            for setting in given {
                context.problems.add(
                    setting.place,
                    "belongs to a Unix socket with a path, as in address: unix:/run/attache/proxy.sock; remove it")
            }
            return nil
        }
        let before = context.problems.count
        if let mode = mode?.parsed(context.problems, what: "a file mode", FileModeText.parse) { file.mode = mode }
        file.user = user.flatMap { AccountSetting.user($0, context) }
        file.group = group.flatMap { AccountSetting.group($0, context) }
        guard context.problems.count == before else { return nil }
        var changed = ListenerConfiguration(address: .unix(path, file))
        changed.place = listener.place
        return changed
    }
}

/// The permission bits of a file: `0660`.
enum FileModeText {
    static func parse(_ text: String) throws(ValueError) -> UInt32 {
        guard (3...4).contains(text.utf8.count), let mode = UInt32(text, radix: 8), mode <= 0o777,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) })
        else { throw ValueError("is not the mode of a file; write it in octal, as in 0660") }
        return mode
    }
}

/// A user or group of the system, by its number or by its name in `/etc/passwd` or `/etc/group`.
///
/// The files are read here: a static executable cannot ask the system's other sources of names.
enum AccountSetting {
    private static let byteLimit = 4 * 1024 * 1024

    static func user(_ setting: Setting, _ context: LoadContext) -> UInt32? {
        number(setting, what: "user", in: "/etc/passwd", context)
    }

    static func group(_ setting: Setting, _ context: LoadContext) -> UInt32? {
        number(setting, what: "group", in: "/etc/group", context)
    }

    private static func number(_ setting: Setting, what: String, in file: String, _ context: LoadContext) -> UInt32? {
        guard let text = setting.text(context.problems, what: "a \(what)'s name or number") else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // The highest number stands for "unchanged" in system calls.
            if let number = UInt32(text), number < .max { return number }
            setting.refuse(context.problems, "is out of range; write the number of a \(what)")
            return nil
        }
        let bytes = try? context.files.read(file, limit: byteLimit)
        if let number = bytes.flatMap({ self.number(of: text, in: $0) }) { return number }
        setting.refuse(context.problems, "is not a \(what) in \(file); write a name from there, or a number")
        return nil
    }

    /// The third field of the line that begins with the name (passwd(5), group(5)).
    private static func number(of name: String, in bytes: [UInt8]) -> UInt32? {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, fields[0] == name { return UInt32(fields[2]) }
        }
        return nil
    }
}
