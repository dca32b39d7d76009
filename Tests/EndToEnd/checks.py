"""The count of what a scenario expects and what it finds."""


class Checks:
    """Prints each expectation with its verdict."""

    def __init__(self, title):
        self.title, self.passed, self.failed = title, 0, 0

    def equal(self, what, found, wanted, detail=""):
        """Expects `found` to be `wanted`; `detail` explains a difference."""
        difference = f"not {wanted}" + (f" ({detail})" if detail else "")
        return self.true(f"{what}: {found}", found == wanted, difference)

    def true(self, what, holds, detail=""):
        """Expects `holds`; `detail` says why it does not."""
        self.passed += bool(holds)
        self.failed += not holds
        verdict = f"ok   {self.title}: {what}" if holds else f"FAIL {self.title}: {what}, {detail}"
        print(verdict, flush=True)
        return holds
