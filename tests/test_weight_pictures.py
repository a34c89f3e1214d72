"""Pictures of a model's weights."""

from __future__ import annotations

import dataclasses
from typing import cast

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.tiny import TINY, make_lively_model
from training.config import CnnConfig, Position
from training.network import build_network
from training.weight_pictures import picture_weights


@pytest.mark.parametrize("distillation", [False, True])
@pytest.mark.parametrize("position", ["learned", "sincos"])
def test_positions_are_compared_by_their_cosine(position: Position, distillation: bool) -> None:
    model = make_lively_model(dataclasses.replace(TINY, position=position, distillation=distillation))
    similarity = picture_weights(model).position_similarity
    assert similarity is not None
    assert similarity.shape == (4, 4)
    one, other = cast(Tensor, model.position_table)[0, [1, 4]].detach().numpy()
    expected = one @ other / (np.linalg.norm(one) * np.linalg.norm(other))
    assert similarity[0, 3] == pytest.approx(expected, abs=1e-5)
    np.testing.assert_allclose(np.diag(similarity), 1, atol=1e-5)


def test_filters_are_the_kernels_as_they_were() -> None:
    model = make_lively_model(dataclasses.replace(TINY, in_channels=3))
    filters = picture_weights(model).filters
    assert filters is not None
    np.testing.assert_array_equal(filters, model.patch_embedding.weight.detach().numpy())
    assert not filters.flags.writeable
    before = filters.copy()
    with torch.no_grad():
        model.patch_embedding.weight.zero_()
    np.testing.assert_array_equal(filters, before)


def test_what_a_model_has_not_is_left_out() -> None:
    without = picture_weights(make_lively_model(dataclasses.replace(TINY, position="none")))
    assert without.position_similarity is None
    assert without.filters is not None
    cnn = picture_weights(build_network(CnnConfig(widths=(4,))))
    assert (cnn.position_similarity, cnn.filters) == (None, None)
