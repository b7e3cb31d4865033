//go:build full

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shop has a package for each package manager, and a repository.
type shop struct {
	wheel, tarball, deb []byte
	// repository is a folder with a bare git repository, whose head is commit.
	repository, commit string
}

// newShop makes the packages, with the tools that their managers come with.
func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{repository: t.TempDir()}
	s.wheel = wheel(t)
	s.tarball = tarball(t)
	dir := t.TempDir()
	control := "Package: kettle\nVersion: 1.0\nArchitecture: all\nMaintainer: Nobody <nobody@kettle.test>\nDescription: a kettle\n"
	writeFile(t, filepath.Join(dir, "kettle", "DEBIAN", "control"), control)
	toolIn(t, dir, "dpkg-deb", "--build", "--root-owner-group", "kettle", "kettle.deb")
	var err error
	if s.deb, err = os.ReadFile(filepath.Join(dir, "kettle.deb")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "work", "page.html"), kettlePage)
	toolIn(t, filepath.Join(dir, "work"), "git", "init", "-q", "-b", "main")
	toolIn(t, filepath.Join(dir, "work"), "git", "add", ".")
	toolIn(t, filepath.Join(dir, "work"), "git", "-c", "user.name=Nobody", "-c", "user.email=nobody@kettle.test", "commit", "-q", "-m", "A page")
	toolIn(t, filepath.Join(dir, "work"), "git", "clone", "-q", "--bare", ".", s.repository+"/kettle.git")
	toolIn(t, s.repository+"/kettle.git", "git", "update-server-info")
	s.commit = toolIn(t, s.repository+"/kettle.git", "git", "rev-parse", "main")
	return s
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func toolIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s: %s is missing: install it", t.Name(), name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// wheel is a Python package that has a page in it.
func wheel(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{{"kettle/page.html", kettlePage}, {"kettle-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: kettle\nVersion: 1.0\n"},
		{"kettle-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}, {"kettle-1.0.dist-info/RECORD", ""}} {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tarball is a Node package.
func tarball(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	content := `{"name":"kettle","version":"1.0.0"}`
	if err := w.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ServeHTTP serves the packages as their registries do: pip's index is a page.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	send := func(contentType string, body []byte) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body) // a client that left needs no answer
	}
	switch p := strings.ReplaceAll(r.URL.Path, "/./", "/"); p {
	case "/simple/kettle/":
		send("text/html", fmt.Appendf(nil, `<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.0"><title>Links for kettle</title></head><body><h1>Links for kettle</h1>
<a href="/kettle-1.0-py3-none-any.whl#sha256=%x">kettle-1.0-py3-none-any.whl</a><br></body></html>`, sha256.Sum256(s.wheel)))
	case "/kettle-1.0-py3-none-any.whl":
		send("application/octet-stream", s.wheel)
	case "/kettle":
		sum := sha512.Sum512(s.tarball)
		b, _ := json.Marshal(map[string]any{"name": "kettle", "dist-tags": map[string]string{"latest": "1.0.0"}, "versions": map[string]any{
			"1.0.0": map[string]any{"name": "kettle", "version": "1.0.0", "dist": map[string]string{
				"tarball": scheme + "://" + r.Host + "/kettle-1.0.0.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}}}}) // always possible
		send("application/json", b)
	case "/kettle-1.0.0.tgz":
		send("application/octet-stream", s.tarball)
	case "/deb/Packages":
		send("text/plain", fmt.Appendf(nil, "Package: kettle\nVersion: 1.0\nArchitecture: all\nMaintainer: Nobody <nobody@kettle.test>\nFilename: ./kettle_1.0_all.deb\nSize: %d\nSHA256: %x\nDescription: a kettle\n", len(s.deb), sha256.Sum256(s.deb)))
	case "/deb/kettle_1.0_all.deb":
		send("application/vnd.debian.binary-package", s.deb)
	default:
		http.FileServer(http.Dir(s.repository)).ServeHTTP(w, r)
	}
}

// Package managers and git get what the origin has, whether they trust winnow's CA or not.
func TestPackagesPassUntouched(t *testing.T) {
	wares := newShop(t)
	setups := newSetups(t, wares)
	for client, fetch := range map[string]func(t *testing.T, s setup, url, dir string) (got, want []byte){
		"pip": func(t *testing.T, s setup, url, dir string) ([]byte, []byte) {
			s.run(t, "python3", "-m", "pip", "download", "-q", "--no-deps", "--no-cache-dir", "--disable-pip-version-check", "--retries", "0", "-d", dir,
				"--proxy", "http://"+s.proxy, "--cert", s.ca, "--index-url", url+"/simple", "--trusted-host", "127.0.0.1", "kettle")
			return fileOf(t, dir, "kettle-1.0-py3-none-any.whl"), wares.wheel
		},
		"npm": func(t *testing.T, s setup, url, dir string) ([]byte, []byte) {
			s.run(t, "npm", "pack", "kettle", "--silent", "--pack-destination", dir, "--cache", dir+"/cache", "--registry", url+"/", "--proxy", "http://"+s.proxy,
				"--https-proxy", "http://"+s.proxy, "--noproxy", "", "--cafile", s.ca, "--fetch-retries", "0")
			return fileOf(t, dir, "kettle-1.0.0.tgz"), wares.tarball
		},
		"apt": func(t *testing.T, s setup, url, dir string) ([]byte, []byte) {
			return apt(t, s, url, dir), wares.deb
		},
		"git": func(t *testing.T, s setup, url, dir string) ([]byte, []byte) {
			s.run(t, "git", "-c", "http.proxy=http://"+s.proxy, "-c", "http.sslCAInfo="+s.ca, "clone", "-q", url+"/kettle.git", dir+"/clone")
			return []byte(toolIn(t, dir+"/clone", "git", "rev-parse", "HEAD")), []byte(wares.commit)
		},
	} {
		t.Run(client, func(t *testing.T) {
			for name, s := range setups {
				for _, url := range []string{s.http, s.https} {
					if url == s.http && !s.intercepted {
						continue // the CA is no matter there
					}
					if got, want := fetch(t, s, url, t.TempDir()); !bytes.Equal(got, want) {
						t.Errorf("%s, %s: %d bytes, want %d", name, url, len(got), len(want))
					}
				}
			}
		})
	}
}

// apt gets a package from a repository of its own, without touching the machine's.
func apt(t *testing.T, s setup, url, dir string) []byte {
	t.Helper()
	for _, d := range []string{"state/lists/partial", "cache/archives/partial", "etc"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, dir+"/etc/sources.list", "deb [trusted=yes] "+url+"/deb ./\n")
	writeFile(t, dir+"/status", "")
	options := []string{"-q", "-o", "Dir::Etc=" + dir + "/etc", "-o", "Dir::Etc::SourceList=" + dir + "/etc/sources.list", "-o", "Dir::Etc::SourceParts=-", "-o", "Dir::State=" + dir + "/state",
		"-o", "Dir::State::status=" + dir + "/status", "-o", "Dir::Cache=" + dir + "/cache", "-o", "APT::Sandbox::User=", "-o", "Acquire::http::Proxy=http://" + s.proxy,
		"-o", "Acquire::https::Proxy=http://" + s.proxy, "-o", "Acquire::https::CAInfo=" + s.ca, "-o", "Acquire::Languages=none", "-o", "Acquire::Retries=0"}
	s.run(t, "apt-get", append(options, "update")...)
	s.dir = dir
	s.run(t, "apt-get", append(options, "download", "kettle")...)
	return fileOf(t, dir, "kettle_1.0_all.deb")
}

func fileOf(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
