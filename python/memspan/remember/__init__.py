"""The parts that `memspan.Memory` is made of: from input to records, from records to the index, and back."""
