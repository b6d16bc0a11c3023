"""The mutants are those of the code as it is."""

from tests.mutants.mutant import read_mutants
from tests.support.harness import ROOT


def test_every_mutant_fits_the_code() -> None:
    """An entry that the code outgrew is told here, before anyone runs the mutants."""
    for mutant in read_mutants():
        mutant.changed_text(ROOT)
        assert all((ROOT / path.partition("::")[0]).exists() for path in mutant.tests), mutant
