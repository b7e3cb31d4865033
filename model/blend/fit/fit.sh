#!/usr/bin/env bash
# Fits the weights of the blend detector on corpora (model/evaluate says in which form), all stages, in folds over hosts
# and for all hosts together:
#
#   model/blend/fit/fit.sh SITES[,SITES…] SINGLES OUT
#
# OUT/full-all.bin is the outcome: gzip -9nc OUT/full-all.bin > model/blend/weights.bin embeds it. OUT/full-<fold>.bin judge the hosts
# of a fold without having seen it, which the figures printed at the end rest on. Needs Go and python3-xgboost; takes
# about ten minutes on two cores for 7,000 pages.
set -euo pipefail
cd "$(dirname "$0")/../../.."
sites=${1:?corpora of sites} singles=${2:?corpus of single pages} out=${3:?folder for the outcome}
mkdir -p "$out"
go build -o "$out/fit" ./model/blend/fit
corpora=(-sites "$sites" -singles "$singles")

# stage BEFORE AFTER [OPTION…] fits one forest on the rows that the weights before it give.
stage() {
	local before=$out/$1-%s.bin after=$out/$2-%s.bin
	shift 2
	"$out/fit" rows "${corpora[@]}" -out "$out" -weights "$before"
	/usr/bin/python3 model/blend/fit/fit.py "$out" "$before" "$after" --folds "$@"
}

"$out/fit" names "${corpora[@]}" -out "$out"
stage names page --rounds 100
stage page full --rounds 150
rm -f "$out/rows.bin" "$out/info.bin"
"$out/fit" score "${corpora[@]}" -weights "$out/full-%s.bin"
