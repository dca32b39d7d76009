// SAFETY: `storage` is allocated and initialized in init, freed in deinit, and never leaves this type. Its count of
// accesses prevents two overlapping accesses of which one modifies.
/// The mutable state of an object that belongs to one loop, kept as one value.
///
/// Swift checks each access to a property of a class at run time, which takes about 80 instructions. The count kept
/// here takes about 4. It traps when an access overlaps a modification of any part of the value, so no call made
/// during a modification may access the object again. Confined to the loop's thread.
@safe
@usableFromInline
package struct Confined<Value: ~Copyable>: ~Copyable {
    @usableFromInline
    struct Storage: ~Copyable {
        /// The number of reads in progress; -1 during a modification.
        @usableFromInline var accesses = 0
        @usableFromInline var value: Value

        @inlinable
        init(_ value: consuming Value) { self.value = value }
    }

    @usableFromInline let storage: UnsafeMutablePointer<Storage>

    @inlinable
    package init(_ value: consuming Value) {
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(to: Storage(value))
    }

    deinit {
        precondition(unsafe storage.pointee.accesses == 0, "state is released while it is accessed")
        unsafe storage.deinitialize(count: 1)
        unsafe storage.deallocate()
    }

    /// The state; an overlapping access is a programming error and traps.
    @inlinable
    package var value: Value {
        _read {
            precondition(unsafe storage.pointee.accesses >= 0, "state is read while it is modified")
            unsafe storage.pointee.accesses += 1
            defer { unsafe storage.pointee.accesses -= 1 }
            yield unsafe storage.pointee.value
        }
        nonmutating _modify {
            precondition(unsafe storage.pointee.accesses == 0, "state is modified while it is accessed")
            unsafe storage.pointee.accesses = -1
            defer { unsafe storage.pointee.accesses = 0 }
            yield unsafe &storage.pointee.value
        }
    }
}
