"""The kernel of pairs against the plain path, in Triton's interpreter where there is no GPU."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("triton")

from fuzzbow.fuzzy import SET_SIMILARITIES
from fuzzbow.torch import FuzzySimilarity, fused, maxima, similarity
from fuzzbow.torch.maxima import PairMaxima
from tests.torch.batches import batch, numbers

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LENGTHS = [3, 0, 7, 1, 20], [5, 4, 0, 1, 2]


@pytest.fixture
def everywhere(monkeypatch):
    """The kernel wherever words are."""
    monkeypatch.setattr(fused, "on_a_device", lambda words: True)


def scores_and_gradients(X, Y, masks, weights=None, **choices):
    """Scores, and the gradients of words and weights for an uneven sum of them."""
    X, Y = (words.detach().clone().requires_grad_() for words in (X, Y))
    given = [] if weights is None else [part.clone().requires_grad_() for part in weights]
    scores = similarity(
        X, Y, **masks, weights=tuple(given) if weights is not None else None, **choices
    )
    slopes = torch.arange(1.0, len(scores) + 1, device=scores.device)
    return [scores.detach(), *torch.autograd.grad((scores * slopes).sum(), [X, Y, *given])]


def both_paths(monkeypatch, X, Y, masks, **options):
    """The same by the plain path and by the kernel."""
    sides = [words.to(DEVICE) for words in (X, Y)]
    masks = {name: mask.to(DEVICE) for name, mask in masks.items()}
    found = []
    for on in (False, True):
        monkeypatch.setattr(fused, "on_a_device", lambda words, on=on: on)
        found.append(scores_and_gradients(*sides, masks, **options))
    return found


@pytest.mark.parametrize("sets", [*SET_SIMILARITIES, "tversky(0.3,0.9)"])
@pytest.mark.parametrize(
    ("words", "universe"), [("dot", "dynamic"), ("cosine", "dynamic"), ("dot", "query")]
)
def test_scores_and_gradients_are_those_of_the_plain_path(monkeypatch, sets, words, universe):
    (X, x_mask), (Y, y_mask) = (
        batch(lengths, d=40, dtype=torch.float32, seed=seed)
        for lengths, seed in zip(LENGTHS, (1, 2), strict=True)
    )
    masks = {"x_mask": x_mask, "y_mask": y_mask}
    weights = tuple(numbers(mask, seed=5).float().to(DEVICE) for mask in masks.values())
    choices = {"set_similarity": sets, "word_similarity": words, "universe": universe}
    if universe == "dynamic":
        choices["weights"] = weights
    plain, kernel = both_paths(monkeypatch, X, Y, masks, **choices)
    for one, other in zip(plain, kernel, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_equal_maxima_share_their_gradient_as_in_the_plain_path(monkeypatch):
    word = torch.tensor([1.0, 2.0, 0.5])
    X = torch.stack([word, word, -word, word])[None]
    Y = torch.stack([word, word, word, 2 * word])[None]
    masks = {"x_mask": torch.ones(1, 4) > 0, "y_mask": torch.tensor([[True, True, True, False]])}
    plain, kernel = both_paths(monkeypatch, X, Y, masks, set_similarity="otsuka")
    for one, other in zip(plain, kernel, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-6)


@pytest.mark.skipif(DEVICE == "cuda", reason="the interpreter computes in float64, GPUs do not")
def test_gradients_of_the_kernel_are_those_of_finite_differences():
    (X, x_mask), (Y, y_mask) = batch([2, 1], d=2, seed=1), batch([1, 2], d=2, seed=2)
    assert torch.autograd.gradcheck(
        lambda X, Y: PairMaxima.apply(X, Y, x_mask, y_mask),
        (X.requires_grad_(), Y.requires_grad_()),
    )


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3)])
def test_nothing_has_gradients_of_nothing(everywhere, shape):
    X = torch.zeros(shape, device=DEVICE, requires_grad=True)
    scores = similarity(X, X)
    scores.sum().backward()
    assert scores.tolist() == [0.0] * shape[0]
    assert X.grad.shape == shape


def test_nothing_of_the_size_of_all_products_is_kept_or_made(everywhere):
    X = torch.randn(3, 16, 4, device=DEVICE, requires_grad=True)
    sizes = []

    class Sizes(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), options=None):
            found = function(*arguments, **(options or {}))
            sizes.extend(part.numel() for part in [found] if isinstance(part, torch.Tensor))
            return found

    kept = torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: sizes.append(tensor.numel()) or tensor, lambda tensor: tensor
    )
    with kept, Sizes():
        similarity(X, X.detach().flip(0))
    assert 3 * 16 in sizes
    assert max(sizes) < 3 * 16 * 16


def test_more_words_than_a_program_holds_take_the_plain_path(everywhere, monkeypatch):
    monkeypatch.setattr(maxima, "MOST_WORDS", 2)
    monkeypatch.setattr(maxima, "pair_maxima", None)
    X = torch.ones(1, 3, 2, device=DEVICE)
    assert similarity(X, X).tolist() == [1.0]


def test_a_second_derivative_is_refused(everywhere):
    X = batch([2, 2], dtype=torch.float32)[0].to(DEVICE).requires_grad_()
    (first,) = torch.autograd.grad(similarity(X, X.detach() + 1).sum(), X, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_a_compiled_layer_does_not_need_the_kernel(everywhere):
    torch._dynamo.reset()
    X = batch([2, 2], dtype=torch.float32)[0].to(DEVICE)
    layer = FuzzySimilarity()
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(X, X + 1), layer(X, X + 1))
