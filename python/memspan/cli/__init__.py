"""The `memspan` command: one file per command, over the public Python names only."""

from __future__ import annotations

from memspan.starting import end_at_ctrl_c

# Until the group listens for it: this is read before the modules of the command line are.
end_at_ctrl_c()
