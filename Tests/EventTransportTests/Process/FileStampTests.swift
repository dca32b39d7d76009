import Testing

@testable import EventTransport

@Suite("The stamp of files")
struct FileStampTests {
    private func file(_ modified: Int, changed: Int? = nil, size: Int = 1) -> FileVersion {
        let times = (FileVersion.Time(seconds: modified), FileVersion.Time(seconds: changed ?? modified))
        return .found(modified: times.0, changed: times.1, size: size, device: 1, inode: 1)
    }

    @Test("says that unchanged files hold what they held, if they had not changed just before")
    func unchanged() {
        for (changedAt, isUnchanged) in [(97, true), (98, false), (100, false), (102, false), (103, true)] {
            let old = FileStamp([file(10), file(changedAt)], at: 100)
            #expect(FileStamp([file(10), file(changedAt)], at: 101).isUnchanged(since: old) == isUnchanged)
            let withOldTime = FileStamp([file(10, changed: changedAt)], at: 100)
            #expect(withOldTime.isUnchanged(since: withOldTime) == isUnchanged)
        }
    }

    @Test("differs if any file has another version, is missing, or is there again")
    func changed() {
        let old = FileStamp([file(10), .missing], at: 100)
        #expect(FileStamp([file(10), .missing], at: 200).isUnchanged(since: old))
        let others = [
            [file(10, size: 2), .missing], [file(10, changed: 11), .missing], [.missing, .missing],
            [file(10), file(9)],
        ]
        for other in others {
            #expect(!FileStamp(other, at: 200).isUnchanged(since: old))
        }
    }
}
