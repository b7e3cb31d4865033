#!/usr/bin/env python3
"""Fits one stage of the blend detector on the rows that `go run ./model/blend/fit rows` wrote (needs python3-xgboost).

    fit.py ROWS BEFORE AFTER [--folds]     reads the stages before from BEFORE (%s standing for the fold) and writes them
                                           with the new one to AFTER, for all hosts and, with --folds, without each fold's
"""
import argparse
import json
import os
import struct
import sys

import numpy as np
import xgboost

MAGIC = b"winnow-blend-1\n"
FOLDS = 5
# price, lean and power of the decision (decide.go), chosen in folds over hosts.
DECISION = (3.0, 0.0, 0.6)


def load(folder):
    count, width = map(int, open(os.path.join(folder, "shape.txt")).read().split())
    rows = np.memmap(os.path.join(folder, "rows.bin"), dtype="<f4", mode="r", shape=(count, width))
    info = np.fromfile(os.path.join(folder, "info.bin"), dtype="<f4").reshape(count, 7)
    info[:, 4] = np.clip(info[:, 4], 0, 1)
    return rows, info


def weights(info, power=0.6):
    """Every page weighs the same, a block within it by its words, each host by the root of its pages."""
    w = (info[:, 5] + 2) ** power * info[:, 6]
    page = (info[:, 0].astype(np.int64) * 1000 + info[:, 2].astype(np.int64)) * 1000 + info[:, 3].astype(np.int64)
    _, index = np.unique(page, return_inverse=True)
    sums = np.bincount(index, w)
    w = w / sums[index]
    site = info[:, 0].astype(np.int64)
    _, sindex = np.unique(site, return_inverse=True)
    per = np.bincount(sindex, w)
    w = w / per[sindex] ** 0.5
    return w / w.mean()


def train(rows, info, take, o):
    w = weights(info)
    data = xgboost.DMatrix(rows[take], label=1 - info[take, 4], weight=w[take])
    params = dict(objective="binary:logistic", tree_method="hist", max_depth=o.depth, eta=o.eta, subsample=0.7,
                  colsample_bytree=o.cols, min_child_weight=20, reg_lambda=2.0, base_score=0.5, max_bin=64, nthread=2, seed=1)
    return xgboost.train(params, data, num_boost_round=o.rounds)


def forest(booster):
    """The booster in the form that decodeForest (forest.go) reads."""
    dumps = booster.get_dump(dump_format="json")
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
                out.append(struct.pack("<hHHf", -1, 0, 0, n["leaf"]))
    return b"".join(out)


def save(before, after, stage):
    """Appends a stage to a weights file and puts the decision into its header."""
    b = open(before, "rb").read()
    head = len(MAGIC)
    with open(after, "wb") as f:
        f.write(MAGIC + struct.pack("<fff", *DECISION) + b[head + 12:] + stage)


def logloss(p, info, take):
    w, y = weights(info)[take], 1 - info[take, 4]
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return -np.average(y * np.log(p) + (1 - y) * np.log(1 - p), weights=w)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("rows")
    a.add_argument("before")
    a.add_argument("after")
    a.add_argument("--folds", action="store_true")
    a.add_argument("--rounds", type=int, default=150)
    a.add_argument("--depth", type=int, default=6)
    a.add_argument("--eta", type=float, default=0.1)
    a.add_argument("--cols", type=float, default=0.4)
    o = a.parse_args()
    rows, info = load(o.rows)
    fold = info[:, 1].astype(int)
    for k in (list(range(FOLDS)) if o.folds else []) + ["all"]:
        take = np.ones(len(fold), bool) if k == "all" else fold != k
        b = train(rows, info, np.flatnonzero(take), o)
        save(o.before.replace("%s", str(k)), o.after.replace("%s", str(k)), forest(b))
        if k != "all":
            test = np.flatnonzero(fold == k)
            print("fold", k, "log loss", round(float(logloss(b.predict(xgboost.DMatrix(rows[test])), info, test)), 4), flush=True)


if __name__ == "__main__":
    sys.exit(main())
