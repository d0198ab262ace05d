"""How a `QuestionEncoder` learns, for tune_questions.py and tune_tokens.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from question_encoder import QuestionEncoder

SHARPNESS = 30.0  # what a similarity is multiplied with before the softmax
FIRST_LAYER, RANK, PARTS = 6, 4, ("query", "value", "inner", "outer")
EPOCHS, BATCH, DROP, CLIP = 3, 32, 0.1, 1.0
MATRIX_RATE, SHIFT_RATE, DECAY, WARMING, LAST_RATE = 1e-3, 3e-4, 0.01, 0.1, 0.02

Sample = TypeVar("Sample")


def tune(
    model: Path,
    samples: Sequence[Sample],
    loss_of: Callable[[QuestionEncoder, Sequence[Sample]], torch.Tensor],
    seed: int,
) -> QuestionEncoder:
    """The model of this file with the changes that make the loss of batches of samples small.

    Deterministic for a seed and a number of threads.
    """
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    encoder = QuestionEncoder(model, first=FIRST_LAYER, rank=RANK, parts=PARTS, drop=DROP)
    learning = list(encoder.tuned())
    matrices = [value for name, value in learning if name.endswith(("down", "up"))]
    shifts = [value for name, value in learning if name.endswith("shift")]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "lr": MATRIX_RATE, "weight_decay": DECAY},
         {"params": shifts, "lr": SHIFT_RATE, "weight_decay": 0.0}]
    )  # fmt: skip
    steps = EPOCHS * -(-len(samples) // BATCH)

    def rate(step: int) -> float:
        return min(1.0, (step + 1) / (WARMING * steps)) * max(LAST_RATE, 1 - step / steps)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    encoder.train()
    for _ in range(EPOCHS):
        order = random.permutation(len(samples))
        for start in range(0, len(samples), BATCH):
            loss = loss_of(encoder, [samples[place] for place in order[start : start + BATCH]])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*matrices, *shifts], CLIP)
            optimizer.step()
            schedule.step()
    return encoder.eval()
