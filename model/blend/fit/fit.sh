#!/usr/bin/env bash
# Fits the weights of the blend detector on corpora (model/evaluate says in which form), all stages, in folds over
# registrable domains and for all hosts together:
#
#   model/blend/fit/fit.sh SITES[,SITES…] SINGLES[,SINGLES…] REPORTED[,REPORTED…] OUT
#
# REPORTED are corpora of sites that figures are reported on. OUT/full-all.bin is the outcome: gzip -9nc OUT/full-all.bin >
# model/blend/weights.bin embeds it. OUT/full-3.bin, which is model/blend/fit/heldout.bin, has seen no host of REPORTED;
# OUT/full-0.bin to full-2.bin have seen neither those nor the hosts of their fold, which the figures printed at the end
# rest on. Needs Go and python3-xgboost; takes about fifteen minutes on two cores for 10,000 pages.
set -euo pipefail
cd "$(dirname "$0")/../../.."
sites=${1:?corpora of sites} singles=${2:?corpora of single pages} report=${3:?corpora that are reported on} out=${4:?folder for the outcome}
mkdir -p "$out"
go build -o "$out/fit" ./model/blend/fit
corpora=(-sites "$sites" -singles "$singles" -report "$report")
export OMP_NUM_THREADS=1

# stage BEFORE AFTER [OPTION…] fits one forest on the rows that the weights before it give, two folds at a time.
stage() {
	local before=$out/$1-%s.bin after=$out/$2-%s.bin
	shift 2
	"$out/fit" rows "${corpora[@]}" -out "$out" -weights "$before"
	printf '%s\n' 3 0 1 2 all | xargs -P 2 -I{} /usr/bin/python3 model/blend/fit/fit.py "$out" "$before" "$after" --folds {} "$@"
}

"$out/fit" names "${corpora[@]}" -out "$out"
stage names page --rounds 110
stage page full --rounds 130
rm -f "$out/rows.bin" "$out/info.bin"
"$out/fit" score -singles "$singles" -report "$report" -weights "$out/full-%s.bin" -calibrate "$out/full-3.bin,$out/full-all.bin"
