"""The privacy core: exact noise, exact selection, and what they cost. Knows no domain, no file, no database.

What a user needs has its name here, and is imported when it is asked for. The other packages import from the modules, so that import
contracts see who draws, who publishes and who only computes.
"""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.privacy.accounting.conversion import approximate, delta_at_epsilon, epsilon_at_delta, renyi_divergence
    from starling.privacy.accounting.detection import detection, detection_bound
    from starling.privacy.accounting.zcdp import replace_one_cost, zcdp_cost
    from starling.privacy.budget import Cost, Epsilon, Rho, decimal_up, power, split
    from starling.privacy.distributions.accuracy import (
        distribution_for_margin,
        margin,
        quantile,
        standard_deviation,
        tail,
    )
    from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
    from starling.privacy.events import (
        MONOTONE,
        ZCDP,
        DiscreteGaussianNoise,
        DiscreteLaplaceNoise,
        Event,
        ExponentialMechanism,
        LatticeNoise,
        MedianResponse,
        PermuteAndFlip,
        PureDP,
        RandomizedResponse,
        StoredResponse,
        factor_of_bounds,
        noise_event,
    )
    from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential
    from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON, REPLACE_PHENOTYPE, as_replace_one
    from starling.privacy.sampling.lattice import lattice_noise
    from starling.privacy.sampling.noise import checked_add, discrete_gaussian, discrete_laplace, draw
    from starling.privacy.sampling.response import randomized_choice, randomized_response
    from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip
    from starling.privacy.trust import Confidential, Mechanism, Released, publish

__all__ = [
    "ADD_REMOVE_PERSON",
    "MONOTONE",
    "REPLACE_PERSON",
    "REPLACE_PHENOTYPE",
    "ZCDP",
    "Confidential",
    "Cost",
    "DiscreteGaussian",
    "DiscreteGaussianNoise",
    "DiscreteLaplace",
    "DiscreteLaplaceNoise",
    "Epsilon",
    "Event",
    "ExponentialMechanism",
    "Guarantee",
    "LatticeNoise",
    "Mechanism",
    "MedianResponse",
    "PermuteAndFlip",
    "PureDP",
    "RandomizedResponse",
    "Released",
    "Rho",
    "StoredResponse",
    "approximate",
    "as_replace_one",
    "bounded_overlap",
    "checked_add",
    "decimal_up",
    "delta_at_epsilon",
    "detection",
    "detection_bound",
    "discrete_gaussian",
    "discrete_laplace",
    "distribution_for_margin",
    "draw",
    "epsilon_at_delta",
    "exponential_mechanism",
    "factor_of_bounds",
    "lattice_noise",
    "margin",
    "measurement",
    "noise_event",
    "permute_and_flip",
    "power",
    "publish",
    "quantile",
    "randomized_choice",
    "randomized_response",
    "renyi_divergence",
    "replace_one_cost",
    "sequential",
    "split",
    "standard_deviation",
    "tail",
    "zcdp_cost",
]

_HOMES = {
    "accounting.conversion": "approximate delta_at_epsilon epsilon_at_delta renyi_divergence",
    "accounting.detection": "detection detection_bound",
    "accounting.zcdp": "replace_one_cost zcdp_cost",
    "budget": "Cost Epsilon Rho decimal_up power split",
    "distributions.accuracy": "distribution_for_margin margin quantile standard_deviation tail",
    "distributions.discrete": "DiscreteGaussian DiscreteLaplace",
    "events": "MONOTONE ZCDP DiscreteGaussianNoise DiscreteLaplaceNoise Event ExponentialMechanism StoredResponse LatticeNoise"
    " MedianResponse PermuteAndFlip PureDP RandomizedResponse factor_of_bounds noise_event",
    "guarantee": "Guarantee bounded_overlap measurement sequential",
    "neighbours": "ADD_REMOVE_PERSON REPLACE_PERSON REPLACE_PHENOTYPE as_replace_one",
    "sampling.lattice": "lattice_noise",
    "sampling.noise": "checked_add discrete_gaussian discrete_laplace draw",
    "sampling.response": "randomized_choice randomized_response",
    "sampling.selection": "exponential_mechanism permute_and_flip",
    "trust": "Confidential Mechanism Released publish",
}

lazy(__name__, _HOMES)
