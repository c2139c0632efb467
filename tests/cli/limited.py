"""Run `starling` where no file may grow beyond so many bytes, as on a full disk: python -m tests.cli.limited BYTES WORDS..."""

import resource
import signal
import sys

from starling.cli import main

if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    main(sys.argv[2:])
