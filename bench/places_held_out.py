"""Data that were held out while methods were tuned: the study of `places_accuracy` on them, once for each default that is released.

Check-ins of Gowalla, the International Stroke Trial and Atlantic storms were named before anything was tuned. What comes out is reported as
it comes out; a result that is there is not made again, but for a method that was changed since. The command is run last, when no method
changes any more, and the page says how often that was.
"""

from bench import places_accuracy as study
from bench.places_data import HELD_OUT
from bench.record import Recorder


def main() -> None:
    """Measure all of it, unless that was done."""
    recorder = Recorder("places_held_out", "Errors on points that were held out while methods were tuned.")
    study.arguments(recorder.parser)
    chosen = recorder.begin()
    if not chosen.quick and (chosen.out / f"{recorder.name}.json").exists():
        recorder.parser.error("these data were held out, and looked at once already: the result is there")
    study.measure(recorder, chosen, sorted(HELD_OUT))


if __name__ == "__main__":
    main()
