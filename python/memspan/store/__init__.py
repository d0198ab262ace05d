"""The system of record: a database of every record, relation and vector; the index is derived from it."""

from .protocol import Extent, Store, StoreReader, StoreWriter
from .sqlite.inspection import Inspection, inspect
from .sqlite.store import SqliteStore

__all__ = ["Extent", "Inspection", "SqliteStore", "Store", "StoreReader", "StoreWriter", "inspect"]
