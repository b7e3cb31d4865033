package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// dist is the folder with a release, which WINNOW_DIST names: .ci/full builds one.
func dist(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("WINNOW_DIST")
	if dir == "" {
		t.Fatal("set WINNOW_DIST to the folder that .ci/release has made")
	}
	return dir
}

// Every address that the files for installers name is of a file of the release, with its sum beside it.
func TestChannelsNameWhatWasPacked(t *testing.T) {
	dir := dist(t)
	address := regexp.MustCompile(`https://github\.com/winnow-proxy/winnow/releases/download/v[^/"]+/([^"]+)`)
	for name, ending := range map[string]string{"winnow.rb": ".tar.gz", "flake.nix": ".tar.gz", "winnow.json": ".zip", "server.json": ".mcpb"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".json") && !json.Valid(text) {
			t.Errorf("%s is no JSON: %s", name, text)
		}
		named := map[string]bool{}
		for _, m := range address.FindAllSubmatch(text, -1) {
			file := string(m[1])
			named[file] = true
			data, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if sum := fmt.Sprintf("%x", sha256.Sum256(data)); !bytes.Contains(text, []byte(sum)) {
				t.Errorf("%s lacks the sum of %s, %s", name, file, sum)
			}
		}
		packed, err := filepath.Glob(filepath.Join(dir, "winnow_*"+ending))
		if err != nil || len(packed) != len(named) {
			t.Errorf("%s names %d of %d archives, %v", name, len(named), len(packed), err)
		}
	}
}

// An archive has the licence of each module that is in the program, and lists them.
func TestArchiveHasLicences(t *testing.T) {
	base := "winnow_*_" + runtime.GOOS + "_" + runtime.GOARCH
	found, err := filepath.Glob(filepath.Join(dist(t), base+".tar.gz"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d archives for this machine, %v", len(found), err)
	}
	files := untar(t, found[0])
	info, err := buildinfo.Read(bytes.NewReader(files["winnow"]))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		BOMFormat  string
		Components []component
	}
	if err := json.Unmarshal(files["winnow.cdx.json"], &list); err != nil || list.BOMFormat != "CycloneDX" || len(list.Components) != len(info.Deps)+1 {
		t.Fatalf("%d components for %d modules, %v", len(list.Components), len(info.Deps), err)
	}
	for _, c := range list.Components {
		if len(c.Licenses) != 1 || !bytes.Contains(files["LICENSES"], []byte(c.Name+" "+c.Version+"\n")) {
			t.Errorf("%s has the licences %v", c.Name, c.Licenses)
		}
	}
}

func untar(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(h.Name)] = data
	}
}

// A bundle is a server of tools for agents when it is unpacked and started as its manifest says.
func TestBundleServes(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(dist(t), "winnow_*_"+runtime.GOOS+"_"+runtime.GOARCH+".mcpb"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d bundles for this machine, %v", len(found), err)
	}
	z, err := zip.OpenReader(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close() //nolint:errcheck // it was read
	dir := t.TempDir()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), data, f.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Server struct {
			MCP struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), strings.ReplaceAll(manifest.Server.MCP.Command, "${__dirname}", dir), manifest.Server.MCP.Args...)
	command.Env = append(os.Environ(), "WINNOW_DATA="+t.TempDir())
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the program ends with the test
	if tools, err := s.ListTools(t.Context(), nil); err != nil || len(tools.Tools) < 4 {
		t.Errorf("%v, %v", tools, err)
	}
}
