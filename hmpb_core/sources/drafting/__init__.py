"""Drafts of a codebook, in order of preference: what came with the file, public vocabularies, guesses."""

from hmpb_core.sources.drafting.codebook_files import (
    CodebookFile,
    columns_of_rule,
    fields_of_codebook_file,
    read_codebook_file,
    renamed_rule,
)
from hmpb_core.sources.drafting.draft import draft_from_header, draft_from_rows
from hmpb_core.sources.drafting.labels import fields_of_labels
from hmpb_core.sources.drafting.merging import all_told_over, told_over
from hmpb_core.sources.drafting.vocabularies import VOCABULARIES, Vocabulary, vocabulary_for, vocabulary_name

__all__ = [
    "VOCABULARIES",
    "CodebookFile",
    "Vocabulary",
    "all_told_over",
    "columns_of_rule",
    "draft_from_header",
    "draft_from_rows",
    "fields_of_codebook_file",
    "fields_of_labels",
    "read_codebook_file",
    "renamed_rule",
    "told_over",
    "vocabulary_for",
    "vocabulary_name",
]
