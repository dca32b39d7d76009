/// A reader knows every secret of its request, so that no message repeats one; its description shows none.
extension TokenAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
