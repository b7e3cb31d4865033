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
SINGLE = 0.7
DECISION = (1.5, 0.0, 0.6)


def load(folder):
    count, width = map(int, open(os.path.join(folder, "shape.txt")).read().split())
    rows = np.memmap(os.path.join(folder, "rows.bin"), dtype="<f4", mode="r", shape=(count, width))
    info = np.fromfile(os.path.join(folder, "info.bin"), dtype="<f4").reshape(count, 8)
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
    # The gold of single pages is aligned text, which is less sure, and nothing of their hosts is known.
    w = np.where(info[:, 7] > 0, SINGLE * w, w)
    return w / w.mean()


def train(rows, info, take, o):
    """Returns boosters, each fitted on some of the hosts. The rows of a host are much alike, so that leaving out rows
    regularises nothing; what is learned from hosts has to be averaged over hosts (bagging, Breiman 1996)."""
    w = weights(info)
    host = info[:, 0].astype(np.int64)
    hosts = np.unique(host[take])
    out = []
    for seed in range(o.bags):
        chosen = np.random.default_rng(seed).choice(hosts, int(len(hosts) * o.share), replace=False)
        part = take[np.isin(host[take], chosen)]
        params = dict(objective="binary:logistic", tree_method="hist", max_depth=o.depth, eta=o.eta, subsample=0.7,
                      colsample_bytree=o.cols, min_child_weight=20, reg_lambda=2.0, base_score=0.5, max_bin=64,
                      nthread=2, seed=seed)
        data = xgboost.DMatrix(rows[part], label=1 - info[part, 4], weight=w[part])
        out.append(xgboost.train(params, data, num_boost_round=o.rounds))
    return out


def predict(boosters, rows):
    data = xgboost.DMatrix(rows)
    odds = sum(b.predict(data, output_margin=True) for b in boosters) / len(boosters)
    return 1 / (1 + np.exp(-odds))


def forest(boosters):
    """The mean of the boosters as one forest."""
    dumps = [text for b in boosters for text in b.get_dump(dump_format="json")]
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
                out.append(struct.pack("<hHHf", -1, 0, 0, n["leaf"] / len(boosters)))
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
    a.add_argument("--rounds", type=int, default=60)
    a.add_argument("--depth", type=int, default=5)
    a.add_argument("--bags", type=int, default=5)
    a.add_argument("--share", type=float, default=0.75, help="share of the hosts in a bag")
    a.add_argument("--eta", type=float, default=0.1)
    a.add_argument("--cols", type=float, default=0.3)
    o = a.parse_args()
    rows, info = load(o.rows)
    fold = info[:, 1].astype(int)
    for k in (list(range(FOLDS)) if o.folds else []) + ["all"]:
        take = np.ones(len(fold), bool) if k == "all" else fold != k
        b = train(rows, info, np.flatnonzero(take), o)
        save(o.before.replace("%s", str(k)), o.after.replace("%s", str(k)), forest(b))
        if k != "all":
            test = np.flatnonzero(fold == k)
            print("fold", k, "log loss", round(float(logloss(predict(b, rows[test]), info, test)), 4), flush=True)


if __name__ == "__main__":
    sys.exit(main())
