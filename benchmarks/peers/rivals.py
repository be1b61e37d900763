"""Who is compared, with which versions and settings."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A virtual environment made by uv for one package.

    Attributes:
        name: Its folder is runs/peers/env-NAME.
        requirements: What is installed into it; empty for this project's own environment.
        python: Which Python.
        large: Needs gigabytes, so it is installed only when asked for by name.
    """

    name: str
    requirements: tuple[str, ...] = ()
    python: str = "3.11"
    large: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A line of the comparison.

    Attributes:
        name: Short name.
        title: What the page calls it.
        environment: Where it runs.
        worker: Script of workers/ that runs it.
        options: Handed to the worker.
        budget: Part of epsilon that it is handed, so that its true total is epsilon.
        note: Guarantee and settings, where they differ from (epsilon, delta 1e-9), add-remove.
    """

    name: str
    title: str
    environment: str
    worker: str
    options: dict[str, object] = field(default_factory=dict)
    budget: float = 1.0
    note: str = ""


ENVIRONMENTS = (
    Environment(name="ours"),
    Environment(name="dpmm", requirements=("dpmm==0.1.9",)),
    Environment(
        name="datasynthesizer",
        requirements=(
            "DataSynthesizer==0.1.13",
            "numpy==1.24.4",
            "pandas==1.5.3",
            "scikit-learn==1.7.2",
            "setuptools<81",
        ),
    ),
    Environment(
        name="private-pgm",
        requirements=(
            "attrs",
            "chex==0.1.89",
            "disjoint-set",
            "jax==0.6.2",
            "matplotlib",
            "networkx",
            "numpy==2.2.6",
            "optax==0.2.5",
            "pandas==2.3.3",
            "scipy",
        ),
        large=True,
    ),
    Environment(name="smartnoise", requirements=("smartnoise-synth==1.0.8",), large=True),
)

AIM_CUT_DOWN = {"rounds": 30, "n_iters": 200}

RIVALS = (
    Rival(name="ours", title="**HMPrivBayes, sound**", environment="ours", worker="run_ours.py"),
    Rival(
        name="ours-replace-one",
        title="HMPrivBayes, sound, replace-one",
        environment="ours",
        worker="run_ours.py",
        options={"neighbors": "replace-one"},
        note="replace-one neighbours: a stronger promise, about twice the noise",
    ),
    Rival(
        name="independent",
        title="independent noisy one-way tables",
        environment="ours",
        worker="run_ours.py",
        options={"method": "independent"},
    ),
    Rival(
        name="dpmm-aim-lite",
        title="dpmm 0.1.9 AIM, cut down",
        environment="dpmm",
        worker="run_dpmm.py",
        options={"pipeline": "AIMPipeline", "max_model_size": 5, "gen_kwargs": AIM_CUT_DOWN},
        note="30 rounds, 200 iterations, models up to 5 MB: stock AIM ends in no seven minutes",
    ),
    Rival(
        name="dpmm-mst",
        title="dpmm 0.1.9 MST",
        environment="dpmm",
        worker="run_dpmm.py",
        options={"pipeline": "MSTPipeline"},
    ),
    Rival(
        name="dpmm-privbayes",
        title="dpmm 0.1.9 PrivBayes",
        environment="dpmm",
        worker="run_dpmm.py",
        options={"pipeline": "PrivBayesPipeline"},
        note="its selection looks under-charged: the score's sensitivity is not the one it uses",
    ),
    Rival(
        name="datasynthesizer",
        title="DataSynthesizer 0.1.13, k = 1",
        environment="datasynthesizer",
        worker="run_datasynthesizer.py",
        options={"k": 1},
        budget=0.5,
        note="pure epsilon, mixed neighbours; it spends twice what it is handed, so it is handed half",
    ),
    Rival(
        name="pgm-mst",
        title="private-pgm MST",
        environment="private-pgm",
        worker="run_private_pgm.py",
        options={"mechanism": "MST"},
    ),
    Rival(
        name="smartnoise-mst",
        title="smartnoise-synth 1.0.8 MST",
        environment="smartnoise",
        worker="run_smartnoise.py",
        options={"mechanism": "mst"},
        note="categories read off the data at no budget; installs torch",
    ),
)
