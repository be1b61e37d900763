"""Whatever the core refuses is said in the reader's language, with its values filled in."""

import ast
import inspect
import json
import re
import string

import pytest

from hmpb_core import errors
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.planning import bill
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.release import refuse_seed
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import public, steward_only
from hmpb_core.report.explain import PrivacyLoss
from hmpb_core.sources.files import read_table
from pages.words.assets import ROOT
from pages.words.errors import Translations, read
from tests.tables import people, people_codebook

ERROR_NAMES = {name for name, kind in vars(errors).items() if inspect.isclass(kind)}
# The command line and the Python interface speak English; no page calls them.
NOT_IN_THE_APP = ("commands/", "facade.py", "cli.py")
CODE = ROOT / "hmpb_core"
CHINESE = re.compile(r"[\u4e00-\u9fff]")


class Module:
    """One module of the core, and the sentences of the errors it raises."""

    def __init__(self, path):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]

    def sentences(self):
        found = set()
        for function in self.functions:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERROR_NAMES and node.args:
                    found |= self.texts(node.args[0], function)
        return {_with_what_stands_before(text) for text in found if words(text)}

    def texts(self, node, function):
        """The texts an expression can be, holes numbered: its own, and those that fill its holes."""
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) else set()
        if isinstance(node, ast.IfExp):
            return self.texts(node.body, function) | self.texts(node.orelse, function)
        if isinstance(node, ast.JoinedStr):
            holes = [part for part in node.values if isinstance(part, ast.FormattedValue)]
            text = "".join(
                part.value if isinstance(part, ast.Constant) else f"{{{holes.index(part)}}}"
                for part in node.values
            )
            return {text}.union(*(self.texts(hole.value, function) for hole in holes))
        if isinstance(node, ast.Name):
            return self.all_texts(
                (given.value, function)
                for given in ast.walk(function)
                if isinstance(given, ast.Assign) and getattr(given.targets[0], "id", "") == node.id
            )
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            return self.all_texts(
                (part.value, helper)
                for helper in self.functions
                if helper.name == called
                for part in ast.walk(helper)
                if isinstance(part, ast.Return) and part.value is not None
            )
        return set()

    def all_texts(self, nodes):
        return set().union(*(self.texts(node, function) for node, function in nodes))


def words(text):
    return re.findall(r"[A-Za-z]{2,}", re.sub(r"\{\d+\}", "", text))


def raised_in_the_core():
    found = set()
    for path in sorted(CODE.rglob("*.py")):
        if not str(path.relative_to(CODE)).startswith(NOT_IN_THE_APP):
            found |= Module(path).sentences()
    return found


def _with_what_stands_before(text):
    """What is appended to a value reaches the screen with it: " and {0} more" is "{0} and {1} more"."""
    if not text.startswith(" "):
        return text
    return "{0}" + re.sub(r"\{(\d+)\}", lambda hole: f"{{{int(hole[1]) + 1}}}", text)


def holes(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.fixture(scope="module")
def chinese():
    file = read("zh")
    return Translations({**file["sentences"], **file["words"]})


def test_every_sentence_of_the_core_has_a_chinese_entry_and_no_entry_is_left_over():
    raised, translated = raised_in_the_core(), set(read("zh")["sentences"])
    lacking = "\n".join(f"{json.dumps(text)} = {json.dumps('')}" for text in sorted(raised - translated))
    assert not lacking, f"add to [sentences] of assets/errors/zh.toml, and translate:\n{lacking}"
    assert not translated - raised, "no error says these any more; remove them from assets/errors/zh.toml"


def test_translations_have_the_holes_of_the_original_and_are_chinese():
    entries = {**read("zh")["sentences"], **read("zh")["words"]}
    assert [text for text, other in entries.items() if holes(text) != holes(other)] == []
    assert [text for text, other in read("zh")["sentences"].items() if not CHINESE.search(other)] == []


def test_a_filled_sentence_finds_its_own_translation(chinese):
    values = ["'age'", "12", "0.5", "(a, b)", "x.csv"]
    for english, other in read("zh")["sentences"].items():
        assert chinese.say(english.format(*values)) == other.format(*values)


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
    "'age' 是数字，但没有声明最小值和最大值": lambda _: field(),
    "'age' 的范围是 5 到 1": lambda _: field(constraints={"minimum": 5, "maximum": 1}),
    "'age' 的分箱数（'bins'）必须是整数": lambda _: field(**NUMBER, bins="many"),
    "码本没有声明任何属性": lambda _: Codebook.from_dict({"fields": []}),
    "表格缺少码本声明的列 'town', 'income'；": lambda _: encode(
        people(9).drop(columns=["town", "income"]), people_codebook()
    ),
    "'smokes' 有些值不在声明的 2 个类别之中": lambda _: encode(
        people(9).assign(smokes="perhaps"), people_codebook()
    ),
    "'t.csv' 的表头有 2 列，但第 3 行的列数不同": lambda _: read_table(b"a,b\n1,2\n1,2,3\n", name="t.csv"),
    "'t.csv' 只有表头，没有数据行": lambda _: read_table(b"a,b\n", name="t.csv"),
    "'t.xlsx' 的扩展名既不是 csv 也不是 Parquet": lambda _: read_table(b"a", name="t.xlsx"),
    "保护单位是 'nobody'": lambda _: Unit.parse("nobody"),
    "方案要用 epsilon 3，但数据集 'people' 的 1 之中只剩 1": charged,
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
    said = chinese.say(str(caught.value))
    assert beginning in said
    assert not re.search(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}", re.sub(r"'[^']*'", "", said)), said


@pytest.mark.parametrize(
    "text",
    [Unit.parse("row").words, Unit.parse("id:3").words, bill.RISK_WEIGHTS_UNPAID, bill.NO_NOISE_UNPAID],
)
def test_what_else_the_core_says_on_a_page_is_said_in_chinese(text, chinese):
    assert CHINESE.search(chinese.say(text))


def test_what_has_no_translation_stays_as_it_is(chinese):
    assert chinese.say("Somebody else's sentence.") == "Somebody else's sentence."
    assert (
        Translations(read("en")).say("rows is 1; simulate at least 2.") == "rows is 1; simulate at least 2."
    )


def test_a_page_says_an_error_of_the_core_in_the_language_chosen(app):
    app.session_state["hmpb"].trouble = "'t.csv' has a header but no rows; there is nothing to publish."
    assert "has a header but no rows" in app.run().error[0].value
    app.session_state["hmpb"].trouble = "'t.csv' has a header but no rows; there is nothing to publish."
    app.selectbox(key="language").set_value("zh").run()
    assert app.error[0].value == "'t.csv' 只有表头，没有数据行；没有可发布的内容。"
