"""The initial weights of bilm-tf."""

import math

import torch
from torch import nn

from ..bilm import BiLM
from ..bilm.lstm import ProjectedLSTM
from ..bilm.token_encoder import Highway


@torch.no_grad()
def initialise(bilm: BiLM) -> None:
    """Draw new weights as the first implementation did, from torch's generator."""
    encoder, config = bilm.token_encoder, bilm.config
    std = math.sqrt(1 / max(1, config.n_filters + config.word_dim))
    for module in encoder.modules():
        if isinstance(module, nn.Embedding):
            nn.init.uniform_(module.weight, -1, 1)
        elif isinstance(module, nn.Conv1d):
            _initialise_filters(module, config.activation)
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=std)
            nn.init.zeros_(module.bias)
    for module in encoder.modules():
        if isinstance(module, Highway):
            # Begin by carrying most of the input on.
            nn.init.constant_(module.carry.bias, -2.0)
    for module in bilm.modules():
        if isinstance(module, ProjectedLSTM):
            _initialise_lstm(module)


def _initialise_filters(convolution: nn.Conv1d, activation: str) -> None:
    assert convolution.bias is not None
    nn.init.zeros_(convolution.bias)
    if activation == "relu":
        nn.init.uniform_(convolution.weight, -0.05, 0.05)
    else:
        n_inputs = convolution.kernel_size[0] * convolution.in_channels
        nn.init.normal_(convolution.weight, std=math.sqrt(1 / n_inputs))


def _initialise_lstm(lstm: ProjectedLSTM) -> None:
    n_gates, width = lstm.input_weight.shape
    # Glorot, for input and output of the step before as one input.
    bound = math.sqrt(6 / (2 * width + n_gates))
    nn.init.uniform_(lstm.input_weight, -bound, bound)
    nn.init.uniform_(lstm.recurrent_weight, -bound, bound)
    nn.init.zeros_(lstm.bias)
    if lstm.projection is not None:
        nn.init.xavier_uniform_(lstm.projection)
