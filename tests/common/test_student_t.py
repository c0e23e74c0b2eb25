"""Student's t against scipy's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlrisk.common.student_t import p_value, quantile


@given(st.floats(0, 40), st.one_of(st.integers(1, 10**7), st.floats(0.1, 1e7)))
def test_p_is_that_of_scipy(t: float, df: float) -> None:
    from scipy import stats

    assert (
        p_value(t, df)
        == p_value(-t, df)
        == pytest.approx(2 * stats.t.sf(t, df), rel=2e-12, abs=1e-300)
    )


def test_where_there_is_no_test_there_is_no_p() -> None:
    assert p_value(None, 3) is p_value(1.0, None) is p_value(1.0, 0) is None


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 10, 31, 10**5])
def test_quantile_is_that_of_scipy(freedom: int) -> None:
    from scipy import stats

    for confidence in (0.5, 0.9, 0.95, 0.999):
        assert quantile(confidence, freedom) == pytest.approx(
            stats.t.ppf((1 + confidence) / 2, freedom), rel=1e-9
        )
