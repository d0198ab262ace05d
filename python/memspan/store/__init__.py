"""The system of record: a database of every record, relation and vector; the index is derived from it."""

from .inspection import Inspection, inspect
from .protocol import Store, StoreReader, StoreWriter
from .sqlite import SqliteStore

__all__ = ["Inspection", "SqliteStore", "Store", "StoreReader", "StoreWriter", "inspect"]
