#!/usr/bin/env bash
# Fits the weights of the blend detector on the corpora that corpora.json names, in folds over registrable domains and
# for all hosts together:
#
#   model/blend/fit/fit.sh CORPUS OUT
#
# CORPUS has the corpora as folders or as NAME.tar.xz, which are unpacked into OUT/corpus. OUT has afterwards:
#
#   weights.bin       for all hosts, packed; model/blend embeds it
#   fold-K.bin.gz     from which the hosts of fold K were left out: winnow eval --weights 'OUT/fold-%s.bin.gz'
#   manifest.json     what they rest on, and their figures in folds
#
# --install as third argument copies these to their places. Needs Go and python3-xgboost; takes about eight minutes on two
# cores for 10,000 pages.
set -euo pipefail
cd "$(dirname "$0")/../../.."
corpus=${1:?folder with the corpora} out=${2:?folder for the outcome} install=${3:-}
fit=model/blend/fit python=${PYTHON:-/usr/bin/python3}
mkdir -p "$out/corpus"
for packed in "$corpus"/*.tar.xz; do
	name=$(basename "$packed" .tar.xz)
	[ ! -f "$packed" ] || [ -d "$out/corpus/$name" ] || tar xf "$packed" -C "$out/corpus"
done
go build -o "$out/fit" "./$fit"
data=$corpus,$out/corpus
folds=$("$python" -c "import json; print(*range(json.load(open('$fit/corpora.json'))['folds']))")
export OMP_NUM_THREADS=1

# stage BEFORE AFTER [OPTION…] fits one forest on the rows that the weights before it give, two folds at a time.
stage() {
	local before=$out/$1-%s.bin after=$out/$2-%s.bin
	shift 2
	"$out/fit" rows -data "$data" -out "$out" -weights "$before"
	# shellcheck disable=SC2086 # one line a fold
	printf '%s\n' $folds all | xargs -P 2 -I{} "$python" "$fit/fit.py" "$out" "$before" "$after" --folds {} "$@"
}

"$out/fit" names -data "$data" -out "$out"
stage names page --rounds 110 --bag 2
stage page full --rounds 130 --bag 2 --seed 2
rm -f "$out/rows.bin" "$out/info.bin"
"$out/fit" score -data "$data" -weights "$out/full-%s.bin" -figures "$out/figures.json" -calibrate "$out/full-all.bin"
gzip -9nc "$out/full-all.bin" >"$out/weights.bin"
files=weights.bin
for k in $folds; do
	gzip -9nc "$out/full-$k.bin" >"$out/fold-$k.bin.gz"
	files=$files,fold-$k.bin.gz
done
"$out/fit" manifest -data "$data" -out "$out" -figures "$out/figures.json" -files "$files" -commit "$(git rev-parse HEAD)" \
	-xgboost "$("$python" -c 'import xgboost; print(xgboost.__version__)')"
[ "$install" != --install ] || {
	cp "$out/weights.bin" model/blend/weights.bin
	cp "$out"/fold-*.bin.gz "$out/manifest.json" "$fit/"
}
