"""The states whose blocks a plan can tabulate, by their two-digit Census codes."""

from typing import Final

PUERTO_RICO: Final = "72"

STATES: Final = {
    "01": "Alabama",
    "02": "Alaska",
    "04": "Arizona",
    "05": "Arkansas",
    "06": "California",
    "08": "Colorado",
    "09": "Connecticut",
    "10": "Delaware",
    "11": "District of Columbia",
    "12": "Florida",
    "13": "Georgia",
    "15": "Hawaii",
    "16": "Idaho",
    "17": "Illinois",
    "18": "Indiana",
    "19": "Iowa",
    "20": "Kansas",
    "21": "Kentucky",
    "22": "Louisiana",
    "23": "Maine",
    "24": "Maryland",
    "25": "Massachusetts",
    "26": "Michigan",
    "27": "Minnesota",
    "28": "Mississippi",
    "29": "Missouri",
    "30": "Montana",
    "31": "Nebraska",
    "32": "Nevada",
    "33": "New Hampshire",
    "34": "New Jersey",
    "35": "New Mexico",
    "36": "New York",
    "37": "North Carolina",
    "38": "North Dakota",
    "39": "Ohio",
    "40": "Oklahoma",
    "41": "Oregon",
    "42": "Pennsylvania",
    "44": "Rhode Island",
    "45": "South Carolina",
    "46": "South Dakota",
    "47": "Tennessee",
    "48": "Texas",
    "49": "Utah",
    "50": "Vermont",
    "51": "Virginia",
    "53": "Washington",
    "54": "West Virginia",
    "55": "Wisconsin",
    "56": "Wyoming",
}
"""The 50 states and the District of Columbia: 01 to 56 without 03, 07, 14, 43 and 52, which no state has."""

REGION_NAMES: Final = {
    "USA": {"1": "United States"},
    "STATE": STATES,
    "PR-STATE": {PUERTO_RICO: "Puerto Rico"},
}
"""Names that need no file, by geography level and region id."""


def state_problem(codes: list[str]) -> str | None:
    """What is wrong with a list of states, or None."""
    unknown = sorted(set(codes) - STATES.keys())
    if unknown:
        shown = ", ".join(repr(code[:8]) for code in unknown[:5])
        return f"lists {shown}: not a state or the District of Columbia"
    return "lists a state twice" if len(set(codes)) != len(codes) else None
