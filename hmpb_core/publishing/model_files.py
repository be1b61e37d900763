"""A paid model as files, and back: enough to draw rows without the table it was learned from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Categorical, Codes, Domain, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.grid import Pieces
from hmpb_core.heaping import Heaps
from hmpb_core.model import Model, draw_codes, draw_rows
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.planning.plan import MAX_ROWS, Plan, require_rows
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.calibration import noise_sd
from hmpb_core.privacy.events import Event
from hmpb_core.repeated import own_codes, repeating
from hmpb_core.report.html import visible
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.since import since_of
from hmpb_core.stages.similarity import Measure, SimilarityMatrix
from hmpb_core.stages.values.measuring import VALUES_OF

MEASUREMENTS = "model/measurements.json"
"""Where a bundle lists every look at the table, with its noise."""
RAN = "model/plan.toml"
"""The candidate plan that passed its marks, where several were tried: the one the model was made by."""
VALUES = "model/values.json"
"""Where a bundle holds learned bins and the distribution inside each."""
SIMILARITY = "model/similarity.json"
"""Where a bundle holds the noisy similarities, of a method that measures them."""


def model_files(model: Model, codebook: Codebook) -> dict[str, str]:
    """Give every noisy result of a model as a text file, by path in the bundle.

    Times are left out: how long a stage took depends on the table.
    """
    names = model.names
    values = model.to_dict()
    files = {
        "model/codebook.json": codebook.to_json(),
        "model/clusters.json": _json({"clusters": values["clusters"]}),
        "model/networks.json": _json({key: values[key] for key in ("learner", "networks", "bridges")}),
        "model/networks.graphml": graphml_of(model),
        "model/weights.json": _json({"weights": values["weights"]}),
        "model/bill.json": _json(model.bill.to_dict()),
        MEASUREMENTS: _json({"acts": [_act(model, names, act) for act in model.entries]}),
        "model/tables.json": _by_line(
            {
                "n_rows": model.n_rows,
                "one_way": {
                    name: [float(p) for p in probabilities]
                    for name, probabilities in zip(names, model.one_way, strict=True)
                },
                "tables": [
                    {
                        "child": names[table.family.child],
                        "parents": [names[parent] for parent in table.family.parents],
                        "shape": list(table.probabilities.shape),
                        "probabilities": table.probabilities.ravel().tolist(),
                        "noise_sd_of_a_count": table.noise_sd,
                    }
                    for table in model.tables
                ],
            }
        ),
    }
    learned = {
        attribute.name: {
            "positions": attribute.places.size,
            "starts": list(attribute.pieces.starts),
            "codes": list(attribute.pieces.codes),
            "shares": list(attribute.pieces.shares),
            **_heaps(attribute.pieces),
            **({"since": attribute.since.column} if attribute.since else {}),
            **({"repeats": attribute.repeats, "repeated": attribute.repeated} if attribute.repeats else {}),
        }
        for attribute in model.domain.attributes
        if isinstance(attribute, Numeric) and attribute.pieces is not None
    }
    repeats = {
        attribute.name: attribute.repeats for attribute in model.domain.attributes if attribute.repeats
    }
    if learned or repeats:
        files[VALUES] = _json({"values": learned, **({"repeats": repeats} if repeats else {})})
    if values["similarity"] is not None:
        files[SIMILARITY] = _json(values["similarity"])
    return files


def _heaps(pieces: Pieces) -> dict[str, Any]:
    """How the positions of a piece are heaped, where that was learned."""
    if pieces.heaps is None:
        return {}
    heaps = pieces.heaps
    cycles = [{"marks": list(marks), "weights": list(weights)} for marks, weights in heaps.cycles]
    of_marks = {"marks": list(heaps.marks), "weights": list(heaps.weights)}
    return {"heaps": of_marks | ({"cycles": cycles} if cycles else {})}


def _act(model: Model, names: Sequence[str], act: Event) -> dict[str, Any]:
    """One look at the table: what it looked at, what it cost, and its noise."""
    if act.act == "select":
        kind = "choice"
    elif act.stage is Stage.SIMILARITY:
        kind = "similarity"
    else:
        kind = "values" if act.what.startswith(VALUES_OF) else "table"
    sd = None
    if act.act == "measure" and act.scale is not None:
        drawn = model.plan.spec.protection != "none"
        sd = noise_sd(act.scale, model.plan.guarantee) if drawn else 0.0
    return {
        "stage": act.stage.value,
        "kind": kind,
        "what": act.what,
        "attributes": [names[attribute] for attribute, _ in act.attribute_loss],
        "loss": float(act.loss),
        "noise_sd": sd,
    }


def graphml_of(model: Model) -> str:
    """Give all networks as one GraphML graph: each node says its cluster, each arrow if it is a bridge."""
    import networkx as nx

    names = [visible(name) for name in model.names]
    cluster_of = {a: number for number, cluster in enumerate(model.clustering.clusters) for a in cluster}
    graph = nx.DiGraph()
    graph.add_nodes_from((name, {"cluster": cluster_of.get(a, 0)}) for a, name in enumerate(names))
    bridges = set(model.bridges)
    graph.add_edges_from(
        (names[parent], names[family.child], {"bridge": (parent, family.child) in bridges})
        for network in model.networks
        for family in network.families
        for parent in family.parents
    )
    return "\n".join(nx.generate_graphml(graph)) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidModel:
    """What a bundle holds of its model: enough to draw rows.

    Attributes:
        plan: The plan it was made by.
        codebook: The public codebook.
        domain: Its domain, with the learned bins and values.
        tables: Conditional tables in sampling order.
        n_rows: Rows that are drawn unless another number is asked for.
        similarity: Noisy similarities; None where the method measures none.
    """

    plan: Plan
    codebook: Codebook
    domain: Domain
    tables: tuple[ConditionalTable, ...] = field(repr=False)
    n_rows: int
    similarity: SimilarityMatrix | None = None

    @classmethod
    def of_files(
        cls, plan: Plan, codebook: str, tables: str, values: str | None = None, similarity: str | None = None
    ) -> PaidModel:
        """Read the model from a bundle's files.

        Args:
            plan: The plan it was made by.
            codebook: The content of its codebook.
            tables: The content of its tables.
            values: The content of its learned values; None where there are none.
            similarity: The content of its similarities; None where there are none.

        Raises:
            SourceError: they do not fit together, or hold what is no probability.
        """
        book = Codebook.from_json(codebook)
        try:
            domain = book.domain if values is None else _learned(book.domain, json.loads(values))
            index = {name: a for a, name in enumerate(plan.spec.encoded_domain(domain).names)}
            content: dict[str, Any] = json.loads(tables)
            model = cls(
                plan=plan,
                codebook=book,
                domain=domain,
                n_rows=int(content["n_rows"]),
                tables=tuple(_table(entry, index) for entry in content["tables"]),
                similarity=None if similarity is None else _similarities(json.loads(similarity), index),
            )
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            raise SourceError("The bundle's model cannot be read; fetch the bundle again.") from None
        if not (
            1 <= model.n_rows <= MAX_ROWS
            and _are_a_model(model.tables, plan.spec.encoded_domain(domain).sizes)
        ):
            raise SourceError("The bundle's model cannot be read; fetch the bundle again.")
        return model

    @property
    def rules(self) -> Rules:
        """What every row obeys."""
        return self.codebook.rules

    def sample_codes(self, n_rows: int, *, rng: np.random.Generator) -> Codes:
        """Draw rows as codes: post-processing, free of charge.

        A method that pays by row gives no more rows than were paid for.

        Raises:
            PlanError: n_rows is below 1, or more than are drawn at once.
        """
        require_rows(n_rows)
        paid = self.plan.rows if self.plan.spec.pays_by_row else None
        count = min(n_rows, paid or n_rows)
        codes = draw_codes(self.tables, self.plan, self.domain, count, rng, table_rows=self.n_rows)
        return own_codes(codes, self.domain, rng)

    def sample(self, n_rows: int | None, *, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows: post-processing, free of charge.

        Raises:
            PlanError: n_rows is below 1, or more than are drawn at once.
        """
        require_rows(n_rows)
        count = n_rows or self.plan.rows or self.n_rows
        return draw_rows(self.tables, self.plan, self.domain, self.rules, n_rows=count, rng=rng)


def model_of_bundle(files: Mapping[str, bytes]) -> PaidModel:
    """Give the model of a bundle.

    Raises:
        SourceError: the bundle holds none.
    """
    try:
        plan = PlanFile.from_toml(files[RAN if RAN in files else "plan.toml"].decode())
        book, tables = files["model/codebook.json"].decode(), files["model/tables.json"].decode()
    except (KeyError, UnicodeDecodeError):
        raise SourceError("The bundle holds no model; fetch it again.") from None
    values, similarity = (files[path].decode() if path in files else None for path in (VALUES, SIMILARITY))
    return PaidModel.of_files(plan.plan, book, tables, values, similarity)


def _similarities(content: dict[str, Any], index: dict[str, int]) -> SimilarityMatrix:
    values = np.array(content["matrix"], dtype=float)
    names = tuple(str(name) for name in content["names"])
    if (
        content["measure"] not in get_args(Measure)
        or names != tuple(index)
        or values.shape != (len(names), len(names))
        or not np.isfinite(values).all()
    ):
        raise ValueError
    return SimilarityMatrix(
        measure=content["measure"], names=names, values=values, noise_sd=float(content["noise_sd"])
    )


def _learned(domain: Domain, found: dict[str, Any]) -> Domain:
    """The codebook's domain with the learned bins and values, and what repeats another column."""
    values, repeats = found["values"], found.get("repeats", {})
    entries: list[Attribute] = []
    for place, entry in enumerate(domain.attributes):
        if isinstance(entry, Numeric):
            entries.append(_with_values(entry, values[entry.name], domain) if entry.name in values else entry)
        elif entry.name in repeats:
            other = domain.index(repeats[entry.name])
            if other >= place or not isinstance(domain.attributes[other], Categorical):
                raise ValueError
            entries.append(repeating(entry, repeats[entry.name]))
        else:
            entries.append(entry)
    return Domain(tuple(entries))


def _with_values(attribute: Numeric, entry: dict[str, Any], domain: Domain) -> Numeric:
    """An attribute with its learned values: its own, or the times since another date."""
    if "since" in entry:
        other = domain.attributes[domain.index(entry["since"])]
        if not isinstance(other, Numeric) or other is attribute or other.grid.step != attribute.grid.step:
            raise ValueError
        attribute = replace(attribute, since=since_of(other))
    if "repeats" in entry:
        same = domain.attributes[domain.index(entry["repeats"])]
        if not isinstance(same, Numeric) or same is attribute or same.grid.step != attribute.grid.step:
            raise ValueError
        attribute = replace(attribute, repeats=same.name, repeated=float(entry["repeated"]))
    return attribute.with_pieces(_pieces(entry, attribute))


def _pieces(entry: dict[str, Any], attribute: Numeric) -> Pieces:
    heaps = entry.get("heaps")
    return Pieces(
        tuple(int(start) for start in entry["starts"]),
        tuple(int(code) for code in entry["codes"]),
        tuple(float(share) for share in entry["shares"]),
        int(entry["positions"]),
        None
        if heaps is None
        else Heaps(
            *_weighted(heaps),
            attribute.places.first,
            tuple(_weighted(cycle) for cycle in heaps.get("cycles", ())),
        ),
    )


def _weighted(entry: dict[str, Any]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    return tuple(str(mark) for mark in entry["marks"]), tuple(float(weight) for weight in entry["weights"])


def _table(entry: dict[str, Any], index: dict[str, int]) -> ConditionalTable:
    return ConditionalTable(
        family=Family(child=index[entry["child"]], parents=tuple(index[p] for p in entry["parents"])),
        probabilities=np.array(entry["probabilities"], dtype=float).reshape(entry["shape"]),
        noise_sd=float(entry["noise_sd_of_a_count"]),
    )


def _are_a_model(tables: tuple[ConditionalTable, ...], sizes: tuple[int, ...]) -> bool:
    """Whether each attribute has one table of probabilities, after those of its parents."""
    placed: set[int] = set()
    for table in tables:
        family, values = table.family, table.probabilities
        if family.child in placed or not placed.issuperset(family.parents):
            return False
        if values.shape != tuple(sizes[a] for a in family.attributes):
            return False
        if not (np.all(values >= 0) and np.allclose(values.sum(axis=-1), 1, rtol=0, atol=1e-6)):
            return False
        placed.add(family.child)
    return len(placed) == len(sizes)


def _json(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _by_line(values: dict[str, Any]) -> str:
    """JSON with a line for each entry and each item of a list: to indent more takes three times as long."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    def entry(value: Any) -> str:
        return "[\n  " + ",\n  ".join(map(line, value)) + "\n ]" if isinstance(value, list) else line(value)

    return "{\n " + ",\n ".join(f"{line(key)}: {entry(value)}" for key, value in values.items()) + "\n}\n"
