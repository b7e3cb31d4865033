package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
)

// winnow runs a command line in this process, without environment and with empty standard input. Tests that need files
// or folders are in testdata/script.
func winnow(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, nil, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// badLine is an invalid command line, and a pattern of its error.
type badLine struct{ args, want string }

// fails checks that an invalid command line gives exit code 2 and one clear line that names the mistake.
func (b badLine) fails(t *testing.T, more ...string) {
	t.Helper()
	code, stdout, stderr := winnow(t, append(strings.Fields(b.args), more...)...)
	line, oneLine := strings.CutSuffix(stderr, "\n")
	if code != console.ExitUsage || stdout != "" || !oneLine || strings.Contains(line, "\n") || !regexp.MustCompile(b.want).MatchString(line) {
		t.Errorf("winnow %s: exit code %d, stdout %q, stderr %q; want 2 and a line like %s", b.args, code, stdout, stderr, b.want)
	}
}

func TestBadCommandLines(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, b := range []badLine{
		{"inspect https://news.example/story", `inspect fetches nothing: .*give the host news\.example`},
		{"nonesuch", `unexpected argument nonesuch`},
		{"--nonesuch", `unknown flag --nonesuch`},
		{"--log-level loud version", `--log-level`},
		{"--log-format xml version", `--log-format must be one of`},

		{"clean", `expected "<path> ..." \(see winnow clean --help\)$`},
		{"clean --mode purple page.html", `--mode: mode "purple" is not one of`},
		{"clean --mode", `^winnow: --mode: the value is missing \(see winnow clean --help\)$`},
		{"clean --mode off page.html", `--mode off leaves pages as they are`},
		{"clean --detector nonesuch page.html", `--detector: no such detector: "nonesuch" is not one of .*keep`},

		{"eval", `missing flags: --corpus=DIR`},
		{"eval --corpus " + nowhere, `--corpus: .*nowhere`},
		{"eval --corpus " + nowhere + " --protocol often", `--protocol: protocol "often" is not one of online, batch, cold`},
		{"eval --corpus " + nowhere + " --weights nonesuch", `--weights: .*nonesuch`},
		{"eval --corpus " + nowhere + " --min-f1 high", `--min-f1`},

		{"models list --data " + nowhere, `--data: the folder .*nowhere does not exist`},
		{"ca export --format jks", `--format must be one of`},

		{"passwd add users a:b", `USER: .*colon`},
	} {
		b.fails(t)
	}
}

// Nothing at all, and help before a command, ask for help.
func TestHelpInWords(t *testing.T) {
	for asked, same := range map[string]string{"": "--help", "help": "--help", "help clean": "clean --help", "help models list": "models list --help"} {
		code, got, _ := winnow(t, strings.Fields(asked)...)
		_, want, _ := winnow(t, strings.Fields(same)...)
		if code != console.ExitOK || got != want || !strings.HasPrefix(got, "Usage: winnow") {
			t.Errorf("winnow %s: exit code %d, %.60q; want %.60q", asked, code, got, want)
		}
	}
}

func TestBadServeCommandLines(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, b := range []badLine{
		{"serve --listen 8080", `^winnow: --listen: want HOST:PORT or :PORT`},
		{"serve --listen 127.0.0.1:0 --admin here", `--admin: want HOST:PORT`},
		{"serve --mode purple", `--mode: mode "purple" is not one of`},
		{"serve --learn some", `--learn must be one of`},
		{"serve --bypass https://example.org", `--bypass: host pattern "https://example.org"`},
		{"serve --bypass .co.uk", `--bypass: host pattern ".co.uk": co.uk is a public suffix`},
		{"serve --intercept com", `--intercept: host pattern "com"`},
		{"serve --passthrough=-1h", `--passthrough: -1h0m0s is not possible`},
		{"serve --upstream-proxy ftp://u:hunter2@proxy.test", `^winnow: --upstream-proxy: the scheme is not one of http, https, socks5$`},
		{"serve --upstream-proxy http://u:hunter2%@proxy.test", `^winnow: --upstream-proxy: not an address such as http://proxy.example:3128 \(is a character of the password not escaped\?\)$`},
		{"serve --upstream-ca nonesuch.pem", `--upstream-ca: open nonesuch.pem`},
		{"serve --upstream-ca " + empty, `--upstream-ca: there is no certificate in PEM in .*empty.pem`},
		{"serve --detector nonesuch --listen 127.0.0.1:0 --admin 127.0.0.1:0", `--detector: no such detector: "nonesuch" is not one of`},
		{"serve --listen :8080", `^winnow: --listen :8080: anybody who can reach this address could use the proxy: .*--allow-client.*--password-file`},
		{"serve --listen 192.168.1.1:8080 --password-file nonesuch", `--password-file: password file: open nonesuch`},
		{"serve --listen proxy.lan:8080", `--listen proxy.lan:8080: anybody`},
		{"serve --admin 0.0.0.0:8081", `^winnow: --admin 0.0.0.0:8081: anybody .* could see and forget models: .*admin-allow-client`},
		{"serve --listen :8080 --allow-client 10.0.0.0/33", `--allow-client: "10.0.0.0/33" is neither`},
		{"serve --limit max-body=0", `--limit max-body: the limit must be greater than 0`},
		{"serve --limit total-timeout=-1h", `--limit total-timeout: the limit`},
		{"serve --limit store-size=10", `--limit store-size: 10 MiB is not enough: give 64 or more`},
		{"serve --memory 0", `--memory`},
		{"serve --limit max-body=99999999999999", `--limit max-body: .* the most is 1048576 \(see winnow serve --help\)$`},
		{"serve --limit client-rate=NaN", `--limit client-rate: NaN is not a number of requests`},
	} {
		b.fails(t, "--data", filepath.Join(dir, "data"))
	}
}

// Settings of the file that cannot be right are named by their keys.
func TestBadKeys(t *testing.T) {
	dir := t.TempDir()
	empty, file := filepath.Join(dir, "empty.pem"), filepath.Join(dir, "winnow.yaml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string]string{
		"no-proxy: near.test": `no-proxy need --upstream-proxy`,
		"{upstream-proxy: proxy.test, no-proxy: 'http://near.test'}":       `no-proxy: "http://near.test" is not a host`,
		"{upstream-proxy: proxy.test, upstream-proxy-auth: " + empty + "}": `upstream-proxy-auth: want one line with USER:PASSWORD in .*empty.pem`,
		"admin-allow-client: lan":    `admin-allow-client: "lan" is neither`,
		"allow-port: 0":              `allow-port: "0" is neither`,
		"flush-every: -1s":           `flush-every: -1s is not possible`,
		"max-body: 4":                `line 1: max-body is a limit: write it under limits`,
		"limits: {max-body: 0}":      `--limit max-body: the limit must be greater than 0`,
		"limits:\n  max-body: large": `winnow.yaml: line 2: expected a valid number`,
		"limits:\n  listen: :1":      `line 2: no limit is called "listen"`,
		"limits: 4":                  `line 1: want names and values`,
		"model-memory: 256":          `line 1: model-memory is called memory now`,
	} {
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		badLine{"serve", want}.fails(t, "--config", file, "--data", filepath.Join(dir, "data"))
	}
}

// The help of winnow serve fits a screen: 25 flags in 40 lines of 100 characters, each explained.
func TestServeHelpFitsAScreen(t *testing.T) {
	code, stdout, _ := winnow(t, "serve", "--help")
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	flags := regexp.MustCompile(`(?m)^  --[a-z-]+( [A-Z=,.]+)? +[A-Z]\w+ .*`).FindAllString(stdout, -1)
	if code != console.ExitOK || len(lines) > 40 || len(flags) != 25 || slices.ContainsFunc(lines, func(l string) bool { return utf8.RuneCountInString(l) > 100 }) {
		t.Errorf("exit code %d, %d lines, %d flags:\n%s", code, len(lines), len(flags), stdout)
	}
}

// What was a flag says what replaced it.
func TestFlagsThatAreGone(t *testing.T) {
	for _, b := range []badLine{
		{"serve --max-body", `^winnow: --max-body is no flag any more: give --limit max-body=MIB, or write max-body under limits in the configuration file$`},
		{"serve --client-rate=NaN", `^winnow: --client-rate is no flag any more: give --limit client-rate=N`},
		{"--log-level info serve --vintage 127.0.0.1", `^winnow: --vintage is no flag any more: write "vintage: …" into the configuration file \(--config\), or set \$WINNOW_VINTAGE$`},
		{"doctor --no-proxy near.test", `--no-proxy is no flag any more`},
		{"serve --model-memory 256", `^winnow: --model-memory is called --memory now$`},
		{"serve --limit nonesuch=1", `--limit: no limit is called "nonesuch": there are clean-timeout, .*, tunnel-timeout \(see winnow serve --help\)$`},
	} {
		b.fails(t)
	}
}

// Every command explains itself, with an example.
func TestHelp(t *testing.T) {
	parser, _, err := newParser(&cli{}, nil, nil, nil, func() {})
	if err != nil {
		t.Fatal(err)
	}
	leaves := parser.Model.Leaves(true)
	if len(leaves) < 15 {
		t.Fatalf("%d commands", len(leaves))
	}
	for _, command := range leaves {
		checkHelp(t, command)
	}
	code, stdout, _ := winnow(t, "--help")
	for _, want := range []string{`(?m)^Usage: winnow <command>`, `(?m)^  serve +Run the proxy`, `(?m)^  eval +Measure`} {
		if code != console.ExitOK || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("winnow --help: exit code %d, no %s in\n%s", code, want, stdout)
		}
	}
	if strings.Contains(stdout, "complete-words") {
		t.Error("winnow --help shows the command that only shells use")
	}
}

func checkHelp(t *testing.T, command *kong.Node) {
	t.Helper()
	path := strings.Fields(command.FullPath())
	code, stdout, stderr := winnow(t, append(path[1:], "--help")...)
	if code != console.ExitOK || stderr != "" || strings.Contains(stdout, "\x1b") {
		t.Errorf("%s --help: exit code %d, stderr %q, stdout %q", command.FullPath(), code, stderr, stdout)
	}
	if example := "\n    " + command.FullPath(); command.Name != "version" && !strings.Contains(stdout, example) {
		t.Errorf("%s --help: there is no example in\n%s", command.FullPath(), stdout)
	}
	for _, flag := range command.Flags {
		if command.Name != "serve" && !flag.Hidden && settings.Settable(flag) && !strings.Contains(strings.Join(strings.Fields(stdout), " "), "($"+settings.Variable(flag)) {
			t.Errorf("%s --help: --%s does not name its variable in\n%s", command.FullPath(), flag.Name, stdout)
		}
	}
}

func TestInterruptedCleaningFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(t.TempDir(), "a.html")
	if err := os.WriteFile(file, []byte("<p>a"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	code := run(ctx, []string{"clean", file}, nil, strings.NewReader(""), &stdout, &stderr)
	if code != console.ExitFailed || !strings.Contains(stderr.String(), "interrupted") || stdout.Len() != 0 {
		t.Errorf("exit code %d, stderr %q, stdout %q", code, stderr.String(), stdout.String())
	}
}
