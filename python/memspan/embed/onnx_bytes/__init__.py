"""ONNX models read and changed as bytes, without the `onnx` package."""
