package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// instruction is one instruction of a Dockerfile, with the number of its stage.
type instruction struct {
	stage      int
	name, args string
}

func dockerfile(t *testing.T) (all []instruction) {
	t.Helper()
	b, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stage := -1
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, args, ok := strings.Cut(line, " ")
		if !ok || strings.HasSuffix(line, `\`) {
			t.Fatalf("Dockerfile: %q", line)
		}
		if name == "FROM" {
			stage++
		}
		all = append(all, instruction{stage, name, args})
	}
	return all
}

// one returns the arguments of the one instruction of that name in the last stage.
func one(t *testing.T, all []instruction, name string) string {
	t.Helper()
	var found []string
	for _, i := range all {
		if i.stage == 1 && i.name == name {
			found = append(found, i.args)
		}
	}
	if len(found) != 1 {
		t.Fatalf("Dockerfile: %d times %s in the last stage, want one", len(found), name)
	}
	return found[0]
}

// The image runs as a user without rights, keeps its data in a volume, and is built by the Go version in go.mod.
func TestDockerfileForm(t *testing.T) {
	all := dockerfile(t)
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
	for _, i := range all {
		if !slices.Contains(known, i.name) || strings.Contains(i.args, ":latest") {
			t.Errorf("Dockerfile: %s %s", i.name, i.args)
		}
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	if all[0].args != "golang:"+version+" AS build" || one(t, all, "FROM") != "scratch" {
		t.Errorf("Dockerfile: built from %q for %q, go.mod wants Go %s", all[0].args, one(t, all, "FROM"), version)
	}
	if one(t, all, "USER") != "65532:65532" || one(t, all, "VOLUME") != "/data" {
		t.Error("Dockerfile: want USER 65532:65532 and VOLUME /data")
	}
	health := execForm(t, strings.SplitN(one(t, all, "HEALTHCHECK"), "CMD ", 2)[1])
	for _, args := range [][]string{health, append(execForm(t, one(t, all, "ENTRYPOINT")), execForm(t, one(t, all, "CMD"))...)} {
		if _, err := parse(args[1:], containerEnv(t, all)); args[0] != "/winnow" || err != nil {
			t.Errorf("Dockerfile: %v: %v", args, err)
		}
	}
}

// execForm reads an instruction that runs a program without a shell, which the image does not have.
func execForm(t *testing.T, s string) (args []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &args); err != nil {
		t.Fatalf("Dockerfile: %s: %v", s, err)
	}
	return args
}

func containerEnv(t *testing.T, all []instruction) console.Environment {
	t.Helper()
	return console.NewEnvironment(strings.Fields(one(t, all, "ENV")))
}

// The steps of the Dockerfile, run in a folder that represents the root of the image, build a program that runs.
func TestDockerfileSteps(t *testing.T) {
	t.Parallel()
	all, root := dockerfile(t), t.TempDir()
	inside := func(s string) string {
		return regexp.MustCompile(`(^|[ =])/(src|out)\b`).ReplaceAllString(s, "${1}"+root+"/$2")
	}
	dir := ""
	for _, i := range all {
		if i.stage > 0 {
			break
		}
		switch i.name {
		case "WORKDIR":
			dir = inside(i.args)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		case "COPY":
			copyContext(t, dir)
		case "RUN":
			cmd := exec.Command("sh", "-ec", inside(i.args))
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("RUN %s: %v\n%s", i.args, err, out)
			}
		}
	}
	if info, err := os.Stat(filepath.Join(root, "out/data")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("/data: %v, %v", info, err)
	}
	program := filepath.Join(root, "out/winnow")
	env := []string{}
	for k, v := range containerEnv(t, all) {
		env = append(env, k+"="+strings.ReplaceAll(v, "/data", filepath.Join(root, "out/data")))
	}
	// Without access rules it would be open to everybody who can reach it, so it refuses to start.
	cmd := exec.Command(program, execForm(t, one(t, all, "CMD"))...)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "--allow-client") {
		t.Errorf("serve: %v\n%s", err, out)
	}
	cmd = exec.Command(program, "ca", "export")
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "BEGIN CERTIFICATE") {
		t.Errorf("ca export: %v\n%s", err, out)
	}
}

// copyContext copies what docker would send to its engine: the module without the files in .dockerignore.
func copyContext(t *testing.T, to string) {
	t.Helper()
	ignored, err := os.ReadFile("../../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join("..", "..")
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if slices.Contains(strings.Fields(string(ignored)), e.Name()) {
			continue
		}
		if err := copyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
}
