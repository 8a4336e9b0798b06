"""One killable process per document.

Native code that parses hostile files can spin, crash or eat memory, and no timeout inside the process ends that. So a
*zygote*, a process that has imported everything once, forks a child for each document (a few milliseconds); the child
holds the document and answers calls; deadlines and memory are watched from outside, and the kernel's own accounting
gives the exact CPU time and memory of each document. Nothing that one document leaks reaches the next.
"""

from ingest.sandbox.process import Exit, Limits, Process, Sandbox

__all__ = ["Exit", "Limits", "Process", "Sandbox"]
