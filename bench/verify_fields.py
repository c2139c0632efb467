"""Change every field of every file of a release of each domain, sign it again, and list what `verify` does not notice.

    python -m bench.verify_fields [DOMAIN...]

A minute of processor time for each few hundred fields. What docs/reference/verify.md names as not checked is counted apart.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.release.changing import changes
from tests.release.fields import DOMAINS, Holder, is_named, make


def main() -> None:
    """Change them, domain by domain."""
    with TemporaryDirectory() as folder:
        os.environ["STARLING_HOME"] = f"{folder}/keys"
        for domain in sys.argv[1:] or DOMAINS:
            release = make(domain, Path(folder, domain))
            holder, tried, named, unseen = Holder(release, Path(folder, f"{domain}-copy")), 0, 0, []
            for change in changes(release):
                tried += 1
                if not holder.is_noticed(change):
                    named += is_named(change)
                    unseen += [] if is_named(change) else [change]
            print(
                f"{domain}: {tried:,} fields changed, {named} unseen that are named as not checked, {len(unseen)} others"
            )
            for change in unseen:
                print(f"  {change}")


if __name__ == "__main__":
    main()
