/// The field lines of one parsed head, which are valid until the next parse into the same `FieldLines`.
///
/// A debug build traps if they are read later, because they would be those of another head.
@usableFromInline struct ParsedLines {
    @usableFromInline let shared: FieldLines
    @usableFromInline let generation: Int

    /// The lines of the head that was parsed last.
    init(newestOf shared: FieldLines) {
        self.shared = shared
        generation = shared.generation
    }

    @inlinable var lines: FieldLines {
        assert(shared.generation == generation, "the field lines of a head are read after another head was parsed")
        return shared
    }
}
