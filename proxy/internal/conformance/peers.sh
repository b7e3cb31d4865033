#!/usr/bin/env bash
# Tries winnow and its peers on the same requirements, and keeps the reports for CONFORMANCE.md. Debian has the peers:
#   apt-get install --no-install-recommends squid-openssl privoxy mitmproxy
#
#   proxy/internal/conformance/peers.sh              all of them
#   proxy/internal/conformance/peers.sh squid        one of winnow, mitmproxy, privoxy, squid
#
# Each runs as its own documentation sets up a forward proxy that intercepts HTTPS: nothing is blocked, filtered or
# cached, and origins are verified. Everything they write lies in a folder that is deleted at the end.
set -euo pipefail
cd "$(dirname "$0")/../../.."

dir=$(mktemp -d)
chmod 755 "$dir"
pid=
stop() {
	[ -z "$pid" ] || { kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; } || true
	pid=
}
trap 'stop; rm -rf "$dir"' EXIT

go build -o "$dir/conformance" ./proxy/internal/conformance/cmd/conformance
"$dir/conformance" ca "$dir/origins" >"$dir/origins.pem"
mkdir "$dir/ca" # of the peers that make none by themselves; Privoxy takes RSA alone
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=peers -keyout "$dir/ca/ca-key.pem" -out "$dir/ca/ca.pem" 2>/dev/null

# await PORT waits until somebody listens there.
await() {
	local i
	for i in $(seq 150); do
		(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.2
	done
	echo "nobody listens on port $1" >&2
	cat "$dir"/*.log >&2 || true
	exit 1
}

# try NAME FILE PORT TRUST VERSION SETUP
try() {
	printf '\n=== %s %s\n' "$1" "$5"
	await "$3"
	"$dir/conformance" run --name "$1" --release "$5" --setup "$6" --proxy "127.0.0.1:$3" --origins "$dir/origins" \
		--trust "$4" --out "proxy/internal/conformance/testdata/$2.json"
	stop
}

winnow() {
	go build -o "$dir/winnow" ./cmd/winnow
	"$dir/winnow" ca export --data "$dir/data" >"$dir/winnow.pem"
	WINNOW_ALLOW_PORT=1-65535 "$dir/winnow" serve --listen 127.0.0.1:18801 --admin 127.0.0.1:18802 --data "$dir/data" \
		--upstream-ca "$dir/origins.pem" >"$dir/winnow.log" 2>&1 &
	pid=$!
	try winnow winnow 18801 "$dir/winnow.pem" '(this repository)' 'as it comes: it removes and learns'
}

mitmproxy() {
	mitmdump --quiet --listen-host 127.0.0.1 --listen-port 18811 --set confdir="$dir/mitm" --set stream_large_bodies=1 \
		--set ssl_verify_upstream_trusted_ca="$dir/origins.pem" >"$dir/mitm.log" 2>&1 &
	pid=$!
	await 18811
	try mitmproxy mitmproxy 18811 "$dir/mitm/mitmproxy-ca-cert.pem" \
		"$(mitmdump --version | sed -n 's/^Mitmproxy: //p')" 'stream_large_bodies=1, so that bodies are not held back'
}

privoxy() {
	mkdir "$dir/privoxy" "$dir/privoxy/certs"
	printf '{ +https-inspection }\n/\n' >"$dir/privoxy/all.action"
	cat >"$dir/privoxy/config" <<-END
		confdir $dir/privoxy
		logdir $dir/privoxy
		logfile log
		actionsfile all.action
		listen-address 127.0.0.1:18821
		toggle 1
		enforce-blocks 0
		tolerate-pipelining 1
		keep-alive-timeout 300
		default-server-timeout 60
		socket-timeout 60
		ca-directory $dir/ca
		ca-cert-file ca.pem
		ca-key-file ca-key.pem
		ca-password
		certificate-directory $dir/privoxy/certs
		trusted-cas-file $dir/origins.pem
	END
	command privoxy --no-daemon "$dir/privoxy/config" >"$dir/privoxy.log" 2>&1 &
	pid=$!
	try Privoxy privoxy 18821 "$dir/ca/ca.pem" "$(command privoxy --version | sed 's/^Privoxy version \([^ ]*\).*/\1/')" \
		'https-inspection for all, no other actions, keep-alive and pipelining'
}

squid() {
	mkdir "$dir/squid"
	cat "$dir/ca/ca.pem" "$dir/ca/ca-key.pem" >"$dir/squid/ca.pem"
	/usr/lib/squid/security_file_certgen -c -s "$dir/squid/ssl_db" -M 4MB >/dev/null
	cat >"$dir/squid/squid.conf" <<-END
		http_port 127.0.0.1:18831 ssl-bump generate-host-certificates=on dynamic_cert_mem_cache_size=4MB tls-cert=$dir/squid/ca.pem
		sslcrtd_program /usr/lib/squid/security_file_certgen -s $dir/squid/ssl_db -M 4MB
		ssl_bump bump all
		on_unsupported_protocol tunnel all
		tls_outgoing_options cafile=$dir/origins.pem
		http_upgrade_request_protocols OTHER allow all
		http_access allow all
		cache deny all
		access_log none
		cache_log $dir/squid/cache.log
		pid_filename none
		coredump_dir $dir/squid
		pinger_enable off
		shutdown_lifetime 0 seconds
	END
	chown -R proxy: "$dir/squid" 2>/dev/null || true
	command squid -N -f "$dir/squid/squid.conf" >"$dir/squid.log" 2>&1 &
	pid=$!
	try Squid squid 18831 "$dir/ca/ca.pem" "$(command squid -v | sed -n '1s/.*Version //p')" \
		'ssl_bump for all, no cache, upgrades allowed'
}

for peer in "${@:-winnow mitmproxy privoxy squid}"; do
	for p in $peer; do "$p"; done
done
