# What .ci/run and .ci/full share. Both source it, in the root of the project.

log=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$log"' EXIT

# Tests run in the folders of their packages, and want the corpus's whole path.
corpus=${WINNOW_CORPUS:-../shared/corpus}
[ ! -d "$corpus" ] || corpus=$(cd "$corpus" && pwd)
export WINNOW_CORPUS=$corpus

step() { printf '\n=== %s (%ds)\n' "$1" "$SECONDS"; }
fail() {
	printf 'ci: %s\n' "$1" >&2
	exit 1
}

# install_debian COMMAND PACKAGE… installs packages where a command is missing.
install_debian() {
	local command=$1
	shift
	! command -v "$command" >/dev/null || return 0
	command -v apt-get >/dev/null || fail "$command is missing: install it"
	as_root apt-get update -qq
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install_common gets what both gates need beyond Go: a C compiler for the race detector, Chromium, and XGBoost for the
# test that fits weights.
install_common() {
	command -v go >/dev/null || fail 'Go is missing: install it from https://go.dev/dl/'
	go version
	install_debian gcc gcc libc6-dev
	install_debian chromium chromium
	install_debian curl curl
	install_debian git git
	/usr/bin/python3 -c 'import xgboost' 2>/dev/null || install_debian python3-xgboost python3-xgboost # which is no command
	gcc --version | head -n 1
	chromium --version
	go mod download
	go mod download -modfile=tools/go.mod
}

lint() { go tool -modfile="$PWD/tools/go.mod" golangci-lint run ./...; }

# test_log says what the events of go test in $log/test mean: failures, skipped or summary.
test_log() { go run .ci/testlog.go "$1" <"$log/test"; }

# run_tests ARGUMENT… runs go test, and shows what failed.
run_tests() {
	if ! go test -json -timeout 20m "$@" >"$log/test"; then
		test_log failures
		fail 'a test failed'
	fi
}

# report_skipped lists the skipped tests. Where everything is at hand, none may be.
report_skipped() {
	test_log skipped >"$log/skipped"
	if [ ! -s "$log/skipped" ]; then
		echo 'skipped: none'
		return
	fi
	echo 'skipped:'
	sed 's/^/  /' "$log/skipped"
	if [ -d ../shared ]; then
		fail 'tests were skipped although ../shared is there'
	fi
}

summary() { test_log summary | grep -v 'no test files'; }
