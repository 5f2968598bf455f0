from __future__ import annotations

from functools import partial

import pytest
import torch

from fuzzbow import InputError
from fuzzbow.torch import above, matrix, similarity, top_k

X = torch.ones(2, 3, 4)
NAN = X.clone()
NAN[1, 2, 0] = float("nan")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((X[0], X), {}, r"X must have shape \(sets, words, dimension\); got \(3, 4\)"),
        (([[1.0]], X), {}, "X must be a tensor of floating point numbers; got list"),
        ((X, X.long()), {}, "Y must be a tensor of floating .* got a tensor of torch.int64"),
        ((X, X.double()), {}, "same dtype; got torch.float32 and torch.float64"),
        ((X, X.to("meta")), {}, "same device; got cpu and meta"),
        ((X, X[..., :3]), {}, "same dimension; got 4 and 3"),
        ((X, X), {"x_mask": torch.ones(2, 4) > 0}, r"x_mask must have shape \(2, 3\); got"),
        ((X, X), {"y_mask": torch.ones(2, 3)}, "y_mask must be a tensor of bool"),
        ((X, X), {"x_mask": [[True]]}, "x_mask must be a tensor; got list"),
        ((NAN, X), {}, "X must have no NaN"),
        ((X, NAN), {}, "Y must have no NaN"),
        ((X, X), {"weights": torch.ones(2, 3)}, "must be a pair of tensors"),
        ((X, X), {"weights": (torch.ones(2, 3), -torch.ones(2, 3))}, "weights of Y must be finite"),
        ((X, X), {"weights": (torch.ones(2, 3), torch.ones(3, 2))}, r"shape \(2, 3\); got"),
        ((X, X), {"weights": torch.ones(5), "universe": "identity"}, r"shape \(4,\); got \(5,\)"),
        ((X, X), {"weights": -torch.ones(4), "universe": "identity"}, "not negative"),
        ((X, X), {"counts_x": torch.ones(3, 2)}, r"counts_x must have shape \(2, 3\)"),
        ((X, X), {"counts_y": -torch.ones(2, 3)}, "counts_y must be finite and not negative"),
        ((X, X), {"universe": "dynamc"}, "did you mean 'dynamic'"),
        ((X, X), {"universe": "vocabulary"}, "pass its rows as a tensor"),
        ((X, X), {"universe": torch.ones(4)}, r"universe must have shape \(elements, dimension\)"),
        ((X, X), {"universe": torch.ones(2, 5)}, "same dimension; got 4 and 5"),
        ((X, X), {"universe": NAN[1]}, "universe must have no NaN and no infinity among its rows"),
        ((X, X), {"universe": torch.ones(2, 4).double()}, "X and universe .* the same dtype"),
        ((X, X), {"x_mask": (X[..., 0] > 0).to("meta")}, "x_mask must be on cpu, as the words"),
        ((X, X), {"weights": (X[..., 0], X[..., 0].to("meta"))}, "weights of Y must be on cpu"),
        ((X, X), {"counts_x": [[1.0]]}, "counts_x must be a tensor; got list"),
        ((X, X), {"pooling": "mean"}, "pooling must be one of max, avg, sum, min"),
        ((X, X), {"set_similarity": "jacard"}, "did you mean 'jaccard'"),
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_refused(arguments, options, message):
    for function in (similarity, matrix, partial(above, threshold=0.5), partial(top_k, k=1)):
        with pytest.raises(InputError, match=message):
            function(*arguments, **options)


def test_nan_in_padding_is_no_matter():
    mask = torch.ones(2, 3) > 0
    mask[1, 2] = False
    assert bool(torch.isfinite(similarity(NAN, X, x_mask=mask)).all())


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: similarity(X, X[:1]), "got 2 and 1"),
        (lambda: similarity(nested(), X, x_mask=torch.ones(2, 3) > 0), "has its own lengths"),
        (lambda: above(X, X, float("nan")), "threshold must be a number"),
        (lambda: top_k(X, X, 0), "k must be a whole number"),
    ],
)
def test_arguments_of_one_function_are_checked(call, message):
    with pytest.raises(InputError, match=message):
        call()


def nested():
    return torch.nested.nested_tensor([X[0], X[1]], layout=torch.jagged)
