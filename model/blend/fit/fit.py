#!/usr/bin/env python3
"""Fits one stage of the blend detector on the rows that `go run ./model/blend/fit rows` wrote (needs python3-xgboost).

    fit.py ROWS BEFORE AFTER [--folds 0,1,all]     reads the stages before from BEFORE (%s standing for the fold) and writes
                                                   them with the new one to AFTER: without each fold's hosts, and for all
"""
import argparse
import json
import os
import re
import struct
import sys

import numpy as np
import xgboost

MAGIC = b"winnow-blend-2\n"
HASH = 8
SCORE = "score.block"


def load(folder):
    lines = open(os.path.join(folder, "shape.txt")).read().split("\n")
    count, names = int(lines[0]), lines[1:-1]
    rows = np.memmap(os.path.join(folder, "rows.bin"), dtype="<f4", mode="r", shape=(count, len(names)))
    info = np.fromfile(os.path.join(folder, "info.bin"), dtype="<f4").reshape(count, 8)
    info[:, 4] = np.clip(info[:, 4], 0, 1)
    return rows, info, names


def weights(info, config, power=0.6):
    """Every page weighs the same, a block within it by its words, each host by the root of its pages, each corpus by
    the configuration, first pages of a host and later ones apart."""
    w = (info[:, 5] + 2) ** power * info[:, 6]
    page = (info[:, 0].astype(np.int64) * 1000 + info[:, 2].astype(np.int64)) * 1000 + info[:, 3].astype(np.int64)
    _, index = np.unique(page, return_inverse=True)
    w = w / np.bincount(index, w)[index]
    _, site = np.unique(info[:, 0].astype(np.int64), return_inverse=True)
    w = w / np.bincount(site, w)[site] ** 0.5
    first, corpus = info[:, 3] == 0, info[:, 7].astype(int)
    later = 0.6 if (~first).any() else 0.0
    for key, take, share in (("first", first, 1 - later), ("later", ~first, later)):
        for c, part in enumerate(x.get(key, 0.0) for x in config["corpora"]):
            mine = take & (corpus == c)
            if mine.any():
                w[mine] *= share * part / w[mine].sum()
    return w / w.mean()


def margin(rows, names):
    """What the forest before says, which the new one adds to."""
    if SCORE not in names:
        return None
    p = np.clip(np.asarray(rows[:, names.index(SCORE)], dtype=np.float64), 1e-7, 1 - 1e-7)
    return np.log(p / (1 - p))


# The features that say how regularly something is seen on a host's pages.
REPETITION = re.compile(r"repeat\.(text|masked)\.(all|since)|repeat\.link\.since|region\d\.(repeated|subtree)|"
                        r"(listed|kindred|underneath)\.known")


def monotone(names):
    """What is seen more often is never less likely to be noise."""
    return tuple(int(bool(REPETITION.fullmatch(n))) for n in names)


def train(rows, info, names, take, o):
    """Fits as many forests as the bag has, which differ in what of the rows and features each tree sees."""
    x = np.ascontiguousarray(rows[take])
    data = xgboost.QuantileDMatrix(x, label=1 - info[take, 4], weight=weights(info[take], o.config), base_margin=margin(x, names), max_bin=64)
    params = dict(objective="binary:logistic", tree_method="hist", max_depth=o.depth, eta=o.eta, subsample=0.7,
                  colsample_bytree=o.cols, min_child_weight=o.leaf, reg_lambda=2.0, base_score=0.5, max_bin=64, nthread=1,
                  monotone_constraints=monotone(names))
    return [xgboost.train(params | {"seed": seed}, data, num_boost_round=o.rounds) for seed in range(o.seed, o.seed + o.bag)]


def forest(bag, names):
    """The mean of the boosters as one forest in the form that decodeForest (forest.go) reads."""
    dumps = [tree for booster in bag for tree in booster.get_dump(dump_format="json")]
    out = [struct.pack("<fI", 0.0, len(dumps))]
    for text in dumps:
        nodes, queue = [], [json.loads(text)]
        while queue:
            n = queue.pop(0)
            nodes.append(n)
            if "children" in n:
                yes, no = n["children"] if n["children"][0]["nodeid"] == n["yes"] else n["children"][::-1]
                n["kids"] = (len(nodes) + len(queue), len(nodes) + len(queue) + 1)
                queue += [yes, no]
        out.append(struct.pack("<I", len(nodes)))
        for n in nodes:
            if "kids" in n:
                out.append(struct.pack("<hHHf", int(n["split"][1:]), *n["kids"], n["split_condition"]))
            else:
                out.append(struct.pack("<hHHf", -1, 0, 0, n["leaf"] / len(bag)))
    return b"".join(out)


def save(before, after, stage, config):
    """Appends a stage to a weights file and puts the decision into its header."""
    b = open(before, "rb").read()
    head = len(MAGIC) + HASH
    with open(after, "wb") as f:
        f.write(b[:head] + struct.pack("<fff", *(config["decision"][k] for k in ("price", "lean", "power"))) + b[head + 12:] + stage)


def logloss(p, info, config):
    w, y = weights(info, config), 1 - info[:, 4]
    p = np.clip(p, 1e-6, 1 - 1e-6)
    each = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    by = {c: round(float(np.average(each[m], weights=w[m])), 4) for c in range(len(config["corpora"])) if (m := info[:, 7] == c).any()}
    return round(float(np.average(each, weights=w)), 4), by


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("rows")
    a.add_argument("before")
    a.add_argument("after")
    a.add_argument("--folds", default="0,1,2,all")
    a.add_argument("--config", type=lambda f: json.load(open(f)),
                   default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpora.json"))
    a.add_argument("--rounds", type=int, default=150)
    a.add_argument("--bag", type=int, default=1, help="how many forests to take the mean of")
    a.add_argument("--seed", type=int, default=1, help="seed of the first forest of the bag")
    a.add_argument("--depth", type=int, default=6)
    a.add_argument("--eta", type=float, default=0.1)
    a.add_argument("--cols", type=float, default=0.4)
    a.add_argument("--leaf", type=float, default=20)
    a.add_argument("--gain", action="store_true", help="print the gain of each feature")
    o = a.parse_args()
    rows, info, names = load(o.rows)
    print(len(rows), "rows of", len(names), flush=True)
    fold = info[:, 1].astype(int)
    for k in o.folds.split(","):
        take = np.ones(len(fold), bool) if k == "all" else fold != int(k)
        bag = train(rows, info, names, np.flatnonzero(take), o)
        save(o.before.replace("%s", k), o.after.replace("%s", k), forest(bag, names), o.config)
        if k != "all":
            test = fold == int(k)
            x = np.ascontiguousarray(rows[np.flatnonzero(test)])
            x = xgboost.DMatrix(x, base_margin=margin(x, names))
            p = 1 / (1 + np.exp(-np.mean([b.predict(x, output_margin=True) for b in bag], axis=0)))
            print("fold", k, "log loss", *logloss(p, info[test], o.config), flush=True)
        if o.gain:
            score = sorted(bag[0].get_score(importance_type="total_gain").items(), key=lambda t: -t[1])
            print(" ".join("%s:%.0f" % (names[int(f[1:])], g) for f, g in score[:80]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
