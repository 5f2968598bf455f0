"""An index in an object store, in whatever state, against comparing the query with every text."""

from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, run_state_machine_as_test

from fuzzbow.index import location_of
from fuzzbow.index.location import remove_tree
from tests.hostile.scale import steps
from tests.hostile.test_state_machine import TAKEN, IndexMachine
from tests.hostile.texts import TEXTS
from tests.objects.server import BUCKET

MODELS = [("weighted-jaccard", "small", "compiled"), ("fuzzy-bm25", "small", "compiled")]


@pytest.fixture
def machine(options):
    """The machine of local indexes, on the store."""

    class ObjectMachine(IndexMachine):
        def __init__(self) -> None:
            super().__init__()
            self.folder = location_of(f"s3://{BUCKET}/state-{TAKEN['runs']}", options)

        def teardown(self) -> None:
            remove_tree(self.folder)

        @initialize(chosen=st.sampled_from(MODELS), first=st.lists(TEXTS, max_size=5))
        def build(self, chosen: tuple[str, str, str], first: list[str]) -> None:
            super().build(chosen, True, first)

    return ObjectMachine


def test_an_index_in_any_state_agrees_with_brute_force(machine):
    settings = hypothesis.settings(
        max_examples=steps(2, 30),
        stateful_step_count=steps(12, 40),
        deadline=None,
        phases=[hypothesis.Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    run_state_machine_as_test(machine, settings=settings)
