"""Where each of our parameters lies in AllenNLP's and bilm-tf's `weights.hdf5`.

Matrices are stored for `x · W`, gates in the order i, j, f, o, and the forget gate's
bias without the 1 that is added when it runs. `W_0` holds the rows of the input, then
those of the recurrent output.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from ..bilm import BiLM, BiLMConfig


class Layout(NamedTuple):
    """How a parameter lies in its dataset.

    read (Callable[[Tensor], Tensor]): From the dataset to our parameter.
    write (Callable[[Tensor], Tensor]): The reverse.
    """

    read: Callable[[Tensor], Tensor]
    write: Callable[[Tensor], Tensor]


class Entry(NamedTuple):
    """One parameter of ours. Two share each dataset `W_0`, one above the other."""

    parameter: str
    dataset: str
    layout: Layout


def from_datasets(
    datasets: Mapping[str, Tensor], config: BiLMConfig
) -> dict[str, Tensor]:
    """RETURNS (Dict[str, Tensor]): Our parameters by name."""
    return {
        entry.parameter: entry.layout.read(datasets[entry.dataset]).contiguous()
        for entry in _mapping(config)
    }


def to_datasets(state: Mapping[str, Tensor], config: BiLMConfig) -> dict[str, Tensor]:
    """RETURNS (Dict[str, Tensor]): The datasets by name."""
    datasets: dict[str, Tensor] = {}
    for parameter, name, layout in _mapping(config):
        part = layout.write(state[parameter])
        datasets[name] = torch.cat([datasets[name], part]) if name in datasets else part
    return datasets


def dataset_shapes(config: BiLMConfig) -> dict[str, tuple[int, ...]]:
    """RETURNS (Dict[str, Tuple[int, ...]]): The shape each dataset must have."""
    with torch.device("meta"):
        datasets = to_datasets(BiLM(config).state_dict(), config)
    return {name: tuple(dataset.shape) for name, dataset in datasets.items()}


def _mapping(config: BiLMConfig) -> Iterator[Entry]:
    encoder = "token_encoder"
    if config.n_words:
        yield Entry(f"{encoder}.word_embedding.weight", "embedding", AS_IS)
    if config.characters == "bytes":
        yield Entry(f"{encoder}.embedding.weight", "char_embed", WITHOUT_ROW_0)
        yield from _cnn_mapping(config, encoder)
    if config.projects_tokens:
        yield Entry(f"{encoder}.projection.weight", "CNN_proj/W_proj", TRANSPOSED)
        yield Entry(f"{encoder}.projection.bias", "CNN_proj/b_proj", AS_IS)
    for direction, name in enumerate(("forward_lstm.layers", "backward_lstm.layers")):
        for k in range(config.n_layers):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{k}/LSTMCell"
            yield Entry(f"{name}.{k}.input_weight", f"{cell}/W_0", INPUT_ROWS)
            yield Entry(f"{name}.{k}.recurrent_weight", f"{cell}/W_0", RECURRENT_ROWS)
            yield Entry(f"{name}.{k}.bias", f"{cell}/B", GATES)
            if config.cell_dim != config.projection_dim:
                yield Entry(f"{name}.{k}.projection", f"{cell}/W_P_0", TRANSPOSED)


def _cnn_mapping(config: BiLMConfig, encoder: str) -> Iterator[Entry]:
    for i in range(len(config.filters)):
        yield Entry(f"{encoder}.convolutions.{i}.weight", f"CNN/W_cnn_{i}", FILTERS)
        yield Entry(f"{encoder}.convolutions.{i}.bias", f"CNN/b_cnn_{i}", AS_IS)
    for i in range(config.n_highway):
        for gate in ("carry", "transform"):
            ours, theirs = f"{encoder}.highways.{i}.{gate}", f"CNN_high_{i}"
            yield Entry(f"{ours}.weight", f"{theirs}/W_{gate}", TRANSPOSED)
            yield Entry(f"{ours}.bias", f"{theirs}/b_{gate}", AS_IS)


def _same(tensor: Tensor) -> Tensor:
    return tensor


def _transposed(tensor: Tensor) -> Tensor:
    return tensor.t()


def _add_row_0(table: Tensor) -> Tensor:
    """Row 0 stands for "no word here" and is not in the file."""
    return torch.cat([torch.zeros_like(table[:1]), table])


def _drop_row_0(table: Tensor) -> Tensor:
    return table[1:]


def _read_filters(tensor: Tensor) -> Tensor:
    return tensor[0].permute(2, 1, 0)  # (number, char_dim, width)


def _write_filters(tensor: Tensor) -> Tensor:
    return tensor.permute(2, 1, 0)[None]  # (1, width, char_dim, number)


def _swap_gates(tensor: Tensor) -> Tensor:
    """Rows by gate, from the order i, j, f, o to i, f, g, o, or back."""
    i, second, third, o = tensor.chunk(4)
    return torch.cat([i, third, second, o])


def _read_input_rows(tensor: Tensor) -> Tensor:
    return _swap_gates(tensor[: len(tensor) // 2].t())


def _read_recurrent_rows(tensor: Tensor) -> Tensor:
    return _swap_gates(tensor[len(tensor) // 2 :].t())


def _write_rows(tensor: Tensor) -> Tensor:
    return _swap_gates(tensor).t()


AS_IS = Layout(_same, _same)
TRANSPOSED = Layout(_transposed, _transposed)
WITHOUT_ROW_0 = Layout(_add_row_0, _drop_row_0)
FILTERS = Layout(_read_filters, _write_filters)
GATES = Layout(_swap_gates, _swap_gates)
INPUT_ROWS = Layout(_read_input_rows, _write_rows)
RECURRENT_ROWS = Layout(_read_recurrent_rows, _write_rows)
