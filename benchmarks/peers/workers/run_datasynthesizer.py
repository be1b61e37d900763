"""DataSynthesizer in its correlated mode."""

import tempfile
from pathlib import Path

import pandas as pd
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator
from job import names_of, run


def fit_and_sample(codes, sizes, job):
    names = names_of(sizes)
    with tempfile.TemporaryDirectory() as folder:
        table, description, output = (str(Path(folder) / name) for name in ("d.csv", "d.json", "s.csv"))
        pd.DataFrame(codes, columns=names).to_csv(table, index=False)
        describer = DataDescriber(category_threshold=max(sizes) + 1)
        describer.describe_dataset_in_correlated_attribute_mode(
            table,
            k=job["k"],
            epsilon=job["epsilon"],
            attribute_to_is_categorical=dict.fromkeys(names, True),
            seed=job["seed"],
        )
        describer.save_dataset_description_to_file(description)
        generator = DataGenerator()
        generator.generate_dataset_in_correlated_attribute_mode(len(codes), description, seed=job["seed"])
        generator.save_synthetic_data(output)
        return pd.read_csv(output)[names].to_numpy()


run(fit_and_sample)
