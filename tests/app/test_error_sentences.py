"""Whatever the core refuses is said in the reader's language, with its values filled in."""

import ast
import copy
import inspect
import json
import pickle
import re
import string
from functools import cache

import pytest

from hmpb_core import errors
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import HmpbError, PlanError, Sentence, SourceError
from hmpb_core.planning import methods
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.ledger import verify
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Grounds
from hmpb_core.publishing.release import refuse_seed
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import public, steward_only
from hmpb_core.report.explain import PrivacyLoss
from hmpb_core.sources.files import read_table
from pages.words.assets import ROOT
from pages.words.errors import Translations, read, translations
from tests.tables import people, people_codebook

ERROR_NAMES = {name for name, kind in vars(errors).items() if inspect.isclass(kind) and name != "Sentence"}
# The command line and the Python interface speak English; no page calls them.
NOT_IN_THE_APP = ("commands/", "facade.py", "cli.py")
CORE, PAGES = ROOT / "hmpb_core", ROOT / "pages"
# Terms that fill holes as they are, and what the core says that is neither an error nor has values.
TERMS = {member.value for kind in (Stage, Neighbors, Grounds) for member in kind}
CONSTANTS = {methods.RISK_WEIGHTS_UNPAID, methods.NO_NOISE_UNPAID, methods.CLASS_MODEL_UNPAID}
CHINESE = re.compile(r"[\u4e00-\u9fff]")


class Module:
    """One module, the errors it raises and the sentences it makes."""

    def __init__(self, path):
        self.path = path
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(self.tree))
        self.functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        self.called = [node for node in nodes if isinstance(node, ast.Call)]
        self.raised = [node for node in nodes if isinstance(node, ast.Raise)]

    def calls(self, names):
        for node in self.called:
            if getattr(node.func, "id", getattr(node.func, "attr", "")) in names:
                yield node

    def templates(self, names):
        return {call.args[0].value for call in self.calls(names) if call.args}

    def faults(self):
        """What keeps its errors and sentences from being translated, with its place."""
        for call in [*self.calls(ERROR_NAMES), *self.calls({"Sentence"})]:
            for fault in self.faults_of(call):
                yield f"{self.path.relative_to(ROOT)}:{call.lineno}: {fault}"
        for node in self.raised:
            if getattr(node.exc, "id", "") in ERROR_NAMES - {"CancelledError"}:
                yield f"{self.path.relative_to(ROOT)}:{node.lineno}: says nothing"

    def faults_of(self, call):
        named = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
        if not call.args and not call.keywords:
            return [] if named == "CancelledError" else ["says nothing"]
        template = call.args[0] if call.args else None
        if not (isinstance(template, ast.Constant) and isinstance(template.value, str)):
            return ["its template is no constant"]
        given = values_of(call)
        if given is None:
            return ["its values are not named where it is made"]
        faults = []
        if set(given) != {name for name, _, _ in holes(template.value)}:
            faults.append(f"its values are not those that its holes name: {sorted(given)}")
        for name, value in given.items():
            if isinstance(value, ast.Attribute) and value.attr == "value":
                faults.append(f"{name} is a term's text; hand over the term, which has a translation")
            faults += [
                f"{name} is English of its own: {text!r}; make it a Sentence" for text in self.texts(value)
            ]
        return faults

    def texts(self, node):
        """The English that an expression can be: its own, a name's in the same function, a helper's here."""
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) and words(node.value) else set()
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            holes_of = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
            return ({text} if words(text) else set()).union(*map(self.texts, holes_of))
        if isinstance(node, ast.IfExp):
            return self.texts(node.body) | self.texts(node.orelse)
        if isinstance(node, ast.BinOp):
            return self.texts(node.left) | self.texts(node.right)
        if isinstance(node, ast.Name):
            here = [f for f in self.functions if node in ast.walk(f)]
            given = [n for f in here for n in ast.walk(f) if isinstance(n, ast.Assign | ast.AnnAssign)]
            return set().union(
                *(
                    self.texts(n.value)
                    for n in given
                    if n.value is not None
                    and node not in ast.walk(n)
                    and node.id
                    in [getattr(t, "id", "") for t in getattr(n, "targets", [getattr(n, "target", None)])]
                )
            )
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            helpers = [f for f in self.functions if f.name == called]
            returned = [
                n.value for f in helpers for n in ast.walk(f) if isinstance(n, ast.Return) and n.value
            ]
            return set().union(*map(self.texts, returned))
        return set()


def values_of(call):
    """What fills a call's holes, by name; None where it is not written out."""
    if getattr(call.func, "id", "") != "Sentence":
        named = all(keyword.arg for keyword in call.keywords)
        return {k.arg: k.value for k in call.keywords} if len(call.args) == 1 and named else None
    if len(call.args) == 1 and not call.keywords:
        return {}
    if len(call.args) != 2 or not isinstance(call.args[1], ast.Dict):
        return None
    keys = call.args[1].keys
    if not all(isinstance(key, ast.Constant) for key in keys):
        return None
    return {key.value: value for key, value in zip(keys, call.args[1].values, strict=True)}


def words(text):
    return re.findall(r"[A-Za-z]{2,}", text)


def holes(text):
    """The holes of a template: name, conversion and format; a number's word is not in every language."""
    return {
        (name, conversion, form)
        for _, name, form, conversion in string.Formatter().parse(text)
        if name is not None and "|" not in form
    }


@cache
def module(path):
    return Module(path)


def modules(*, in_the_app=False):
    core = [
        path
        for path in sorted(CORE.rglob("*.py"))
        if not (in_the_app and str(path.relative_to(CORE)).startswith(NOT_IN_THE_APP))
    ]
    own = (CORE / "errors.py", PAGES / "words" / "errors.py")  # where sentences are put together
    return [module(path) for path in [*core, *sorted(PAGES.rglob("*.py"))] if path not in own]


def said(names):
    return set().union(*(module.templates(names) for module in modules(in_the_app=True)))


@pytest.fixture(scope="module")
def chinese():
    return translations("zh")


def module_of(text, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(text, encoding="utf-8")
    return Module(path)


def test_every_error_and_sentence_has_a_constant_template_and_exactly_the_values_it_names():
    faults = "\n".join(fault for module in modules() for fault in module.faults())
    assert not faults, f"write each as in hmpb_core/errors.py:\n{faults}"


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("raise PlanError(f'rows is {n}.')", "no constant"),
        ("raise PlanError(text)", "no constant"),
        ("raise PlanError('rows is {rows}.')", "not those that its holes name"),
        ("raise PlanError('rows is low.', rows=n)", "not those that its holes name"),
        ("raise PlanError('rows is {rows}.', **values)", "not named"),
        ("raise PlanError('{stage} is 0.', stage=stage.value)", "a term's text"),
        ("raise PlanError('{what} is 0.', what='the number')", "English of its own"),
        ("x = 'some rows' if n else ''\n    raise PlanError('{what} is 0.', what=x)", "English of its own"),
        ("raise PlanError('{what} is 0.', what=helper())", "English of its own"),
        ("return Sentence('{what} is 0.', {'that': n})", "not those that its holes name"),
        ("return Sentence('{what} is 0.', values)", "not named"),
        ("raise PlanError", "says nothing"),
        ("raise CancelledError", None),
        ("raise PlanError()", "says nothing"),
        ("raise PlanError('rows is {rows}.', rows=n)", None),
        ("raise PlanError('{what} is 0.', what=Sentence('the number'))", None),
    ],
)
def test_what_could_not_be_translated_is_found(code, fault, tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    text = f"def helper():\n    return 'any text'\n\ndef f():\n    {code}\n"
    found = list(module_of(text, tmp_path).faults())
    assert len(found) == (fault is not None)
    assert fault is None or fault in found[0]


def lines(texts):
    return "\n".join(f"{json.dumps(text)} = {json.dumps('')}" for text in sorted(texts))


@pytest.mark.parametrize("section", ["sentences", "words"])
def test_every_sentence_of_the_core_has_a_chinese_entry_and_no_entry_is_left_over(section):
    texts = said(ERROR_NAMES) if section == "sentences" else said({"Sentence"}) | TERMS | CONSTANTS
    entries = set(read("zh")[section])
    lacking = lines(texts - entries)
    assert not lacking, f"add to [{section}] of assets/errors/zh.toml, and translate:\n{lacking}"
    assert not entries - texts, "the core says these no more; remove them from assets/errors/zh.toml"


def test_translations_have_the_holes_of_the_original_and_are_chinese():
    entries = {**read("zh")["sentences"], **read("zh")["words"]}
    assert [text for text, other in entries.items() if holes(text) != holes(other)] == []
    assert [text for text, other in read("zh")["sentences"].items() if not CHINESE.search(other)] == []


def test_a_filled_sentence_finds_its_own_translation(chinese):
    for english, other in read("zh")["sentences"].items():
        values = {name: 12 if form else f"<{name}>" for name, _, form in holes(english)}
        in_quotes = re.sub(r"(\{\w+)!r\}", r"“\1}”", other)
        spaced = re.sub("(?<=[一-鿿]) (?=“)|(?<=”) (?=[一-鿿])", "", in_quotes)
        expected = spaced.format(**values) if values else other
        assert chinese.say(HmpbError(english, **values)) == chinese.say(Sentence(english, values)) == expected


def plan(**choices):
    guarantee = Guarantee(epsilon=1.0, neighbors=choices.pop("neighbors", Neighbors.REPLACE_ONE))
    return Plan(
        guarantee=guarantee,
        shares=Shares.from_weights(one_way_tables=1, similarity=1, structure=1, conditional_tables=1),
        **choices,
    )


def field(**entry):
    return Codebook.from_dict({"fields": [{"name": "age", "type": "integer", **entry}]})


NUMBER = {"constraints": {"minimum": 0, "maximum": 9}}


def charged(folder, currency=Currency.PURE):
    workspace = Workspace(folder, create=True)
    cap = {"cap_epsilon": 1.0, "cap_delta": 0.0}
    dataset = workspace.register(people(50), name="people", unit=Unit.parse("row"), **cap)
    delta = 0.0 if currency is Currency.PURE else 1e-9
    workspace.charge(dataset, Guarantee(epsilon=3.0, delta=delta, currency=currency))


def damaged(folder):
    Workspace(folder, create=True)
    (folder / "ledger.sqlite").write_bytes(b"not a ledger at all" * 200)
    Workspace(folder).entries()


RAISED = {
    "epsilon 为 -1.0；它必须在 0.001 与 100 之间": lambda _: Guarantee(epsilon=-1.0),
    "delta 为 0.5；以 zCDP 计量": lambda _: Guarantee(epsilon=1.0, delta=0.5),
    "聚类数（k）为 0；它必须不小于 1": lambda _: plan(clusters=0),
    "剪除弱相关（eta）为 2；它必须在 0 与 1 之间": lambda _: plan(eta=2),
    "“按论文原样”的计费方式只适用于": lambda _: plan(accounting=Accounting.AS_PUBLISHED),
    "互信息的敏感度只在": lambda _: plan(method="privbayes", neighbors=Neighbors.ADD_REMOVE),
    "“age”没有声明最小值和最大值": lambda _: field(),
    "“age”的范围是 5 到 1": lambda _: field(constraints={"minimum": 5, "maximum": 1}),
    "“age”的分箱数（“bins”）必须是整数": lambda _: field(**NUMBER, bins="many"),
    "码本没有声明任何属性": lambda _: Codebook.from_dict({"fields": []}),
    "表格缺少码本声明的列“town”、“income”；": lambda _: encode(
        people(9).drop(columns=["town", "income"]), people_codebook()
    ),
    "“smokes”有些值不在声明的 2 个类别之中": lambda _: encode(
        people(9).assign(smokes="perhaps"), people_codebook()
    ),
    "“t.csv”的表头有 2 列，但第 3 行的列数不同": lambda _: read_table(b"a,b\n1,2\n1,2,3\n", name="t.csv"),
    "“t.csv”只有表头，没有数据行": lambda _: read_table(b"a,b\n", name="t.csv"),
    "从扩展名看“t.pdf”不是表格": lambda _: read_table(b"a", name="t.pdf"),
    "保护单位是“nobody”": lambda _: Unit.parse("nobody"),
    "这需要 epsilon 3，但在终身上限 1 之内": charged,
    "终身上限的 delta 为 0，而 zCDP 方案": lambda folder: charged(folder, Currency.ZCDP),
    "账本已损坏": damaged,
    "给出了随机种子": lambda _: refuse_seed(7),
    "handout.pdf 仅限数据管理员": lambda _: public(steward_only("rows"), "handout.pdf"),
    "一起考虑的人数为 0": lambda _: PrivacyLoss(epsilon=1.0, delta=0.0).for_group(0),
}


@pytest.mark.parametrize("beginning", RAISED)
def test_a_raised_error_is_said_in_chinese_with_its_values(beginning, chinese, tmp_path):
    with pytest.raises(errors.HmpbError) as caught:
        RAISED[beginning](tmp_path / "w")
    said = chinese.say(caught.value)
    assert beginning in said
    assert not re.search(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}", re.sub(r"“[^”]*”", "", said)), said


@pytest.mark.parametrize(
    "text",
    [Unit.parse("row").words, Unit.parse("id:3").words, *sorted(CONSTANTS)],
)
def test_what_else_the_core_says_on_a_page_is_said_in_chinese(text, chinese):
    assert CHINESE.search(chinese.say(text))


def test_what_has_no_translation_stays_as_it_is(chinese):
    assert chinese.say("Somebody else's sentence.") == "Somebody else's sentence."
    assert (
        Translations(read("en")).say(PlanError("rows is {rows}; simulate at least 2.", rows=1))
        == "rows is 1; simulate at least 2."
    )


def test_a_name_that_somebody_gave_is_not_translated_but_a_term_of_the_core_is(chinese):
    named = PlanError("A weight is set for {name!r}, which is not in the codebook.", name="similarity")
    assert chinese.say(named) == "为“similarity”设置了权重，但码本中没有它。"
    assert chinese.say(
        PlanError(
            "{stage} has nothing to spend, yet the method needs it; raise its share above 0.",
            stage=Stage.SIMILARITY,
        )
    ).startswith("“相似度”没有预算可用")


def test_a_value_with_braces_stays_as_it_is(chinese):
    error = PlanError("A weight is set for {name!r}, which is not in the codebook.", name="{age} {0}")
    assert str(error) == "A weight is set for '{age} {0}', which is not in the codebook."
    assert chinese.say(error) == "为“{age} {0}”设置了权重，但码本中没有它。"


def nested():
    inner = Sentence("{names} and {more} more", {"names": ("'{a}'", "'b'"), "more": 3})
    return SourceError(
        "The table lacks {names}, which the codebook declares; add the column or remove it "
        "from the codebook.",
        names=inner,
    )


IN_ENGLISH = (
    "The table lacks '{a}', 'b' and 3 more, which the codebook declares; add the column or remove it "
    "from the codebook."
)
IN_CHINESE = "表格缺少码本声明的列“{a}”、“b”等（另有 3 个）；请补上此列，或把它从码本中去掉。"


@pytest.mark.parametrize(
    "carried",
    [
        lambda error: error,
        lambda error: pickle.loads(pickle.dumps(error)),
        lambda error: pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(error, protocol=2)))),
        copy.copy,
        copy.deepcopy,
    ],
)
def test_an_error_is_carried_elsewhere_with_its_sentence(carried, chinese):
    error = carried(nested())
    assert type(error) is SourceError
    assert error.sentence == nested().sentence
    assert str(error) == IN_ENGLISH
    assert chinese.say(error) == IN_CHINESE


@pytest.mark.parametrize("beginning", RAISED)
def test_every_raised_error_survives_pickling(beginning, chinese, tmp_path):
    with pytest.raises(HmpbError) as caught:
        RAISED[beginning](tmp_path / "w")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (type(error), str(error)) == (type(caught.value), str(caught.value))
    assert chinese.say(error) == chinese.say(caught.value)


def test_what_is_wrong_with_a_ledger_is_said_in_chinese(chinese):
    (fault,) = verify([("{}", "no digest of it")])
    assert str(fault) == "Entry 1 was changed: its digest does not fit its content."
    assert chinese.say(fault) == "条目 1 被改动：摘要与内容不符。"


def test_a_page_says_an_error_of_the_core_in_the_language_chosen(app):
    template = "{file} has a header but no rows; there is nothing to publish."
    upload_error = SourceError(template, file="'t.csv'").sentence
    app.session_state["hmpb"].upload_error = upload_error
    assert "has a header but no rows" in app.run().error[0].value
    app.session_state["hmpb"].upload_error = upload_error
    app.selectbox(key="language").set_value("zh").run()
    assert app.error[0].value == "“t.csv”只有表头，没有数据行；没有可发布的内容。"


def test_names_are_listed_as_the_readers_language_lists_them(chinese):
    template = "Two rows are left of {columns}."
    said = Sentence(template, {"columns": ("'age'", "'sex'")})
    assert str(said) == "Two rows are left of 'age', 'sex'."
    assert chinese.say(said) == "Two rows are left of “age”、“sex”."


def test_a_name_that_ends_in_a_question_mark_closes_its_sentence():
    said = Sentence("It lacks {name}. Name the file.", {"name": "Do you smoke?"})
    assert str(said) == "It lacks Do you smoke? Name the file."


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("age", "为“age”设置了权重，但码本中没有它。"),
        ("it's", "为“it's”设置了权重，但码本中没有它。"),
        ("two\nlines", "为“two\\nlines”设置了权重，但码本中没有它。"),
        (7, "为 7 设置了权重，但码本中没有它。"),
    ],
)
def test_a_name_stands_in_chinese_quotes_in_a_chinese_sentence(name, said, chinese):
    error = PlanError("A weight is set for {name!r}, which is not in the codebook.", name=name)
    assert chinese.say(error) == said


def test_what_is_typed_as_json_or_into_a_shell_keeps_its_own_quotes():
    texts = " ".join({**read("zh")["sentences"], **read("zh")["words"]}.values())
    in_quotes = set(re.findall(r"'[^']*'(?:: \w+)?", texts))
    assert in_quotes == {
        "'unknown'",
        "''",
        "'publish': false",
        "'hmpb[mic]'",
        "'hmpb[postgresql]'",
        "'hmpb[spark]'",
    }
