"""The libraries that some inputs and outputs need, and the rest does not."""

from importlib import import_module
from typing import Any


def require(module: str, purpose: str, extra: str) -> Any:
    """Import an optional module when it is needed.

    module (str): Such as "pyarrow.parquet". purpose (str): What needs it.
    extra (str): The extra of this package that installs it.
    RAISES (ImportError): It is not installed; says how to get it.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module.partition('.')[0]}: "
            f"pip install 'spacy-elmo[{extra}]'."
        ) from error
