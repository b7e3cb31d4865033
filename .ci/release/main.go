// Command release builds what people install: for each platform an archive with the program, its manual page, its
// completions, and the licences and the list of its dependencies, and a bundle for agents; for Linux a Debian package
// as well; files for Homebrew, Scoop, Nix and the registry of servers for agents; and the SHA-256 sums of all. The same
// commit gives the same bytes.
//
//	go run ./.ci/release                      all platforms, into dist/
//	go run ./.ci/release dist linux/amd64     one platform, into a folder
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	dir, platforms := "dist", []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, "Usage: go run ./.ci/release [DIR [OS/ARCH ...]]\n\nBuilds archives, Debian packages and SHA-256 sums into DIR (default: dist), for six platforms or those given.\n")
	}
	flag.Parse()
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	if flag.NArg() > 1 {
		platforms = flag.Args()[1:]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := release(ctx, dir, platforms)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// build is one commit that is released.
type build struct {
	dir, version string
	// at is the time of the commit, which all files get.
	at time.Time
	// common are the files that are the same on all platforms, by path in an archive.
	common []file
	// archives and bundles are what was packed.
	archives, bundles []packed
}

type file struct {
	name string
	mode int64
	data []byte
}

func release(ctx context.Context, dir string, platforms []string) error {
	b, err := newBuild(ctx, dir)
	if err != nil {
		return err
	}
	for _, p := range platforms {
		system, arch, ok := strings.Cut(p, "/")
		if !ok {
			return fmt.Errorf("platform %q: want system/architecture, as linux/amd64", p)
		}
		if err := b.platform(ctx, system, arch); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := b.channels(); err != nil {
		return err
	}
	return b.sums()
}

func newBuild(ctx context.Context, dir string) (*build, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	version, err := output(ctx, nil, "git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return nil, err
	}
	seconds, err := output(ctx, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	at, err := strconv.ParseInt(strings.TrimSpace(string(seconds)), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("time of the commit: %w", err)
	}
	b := &build{dir: dir, version: strings.TrimPrefix(strings.TrimSpace(string(version)), "v"), at: time.Unix(at, 0).UTC()}
	for _, f := range []string{"LICENSE", "README.md"} {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		b.common = append(b.common, file{f, 0o644, data})
	}
	for name, args := range map[string][]string{"winnow.1": {"man"}, "completions/winnow.bash": {"completion", "bash"}, "completions/_winnow": {"completion", "zsh"},
		"completions/winnow.fish": {"completion", "fish"}} {
		data, err := output(ctx, []string{"HOME=/nowhere", "GOPATH=" + os.Getenv("GOPATH")}, "go", append([]string{"run", "./cmd/winnow"}, args...)...)
		if err != nil {
			return nil, err
		}
		b.common = append(b.common, file{name, 0o644, data})
	}
	slices.SortFunc(b.common, func(x, y file) int { return strings.Compare(x.name, y.name) })
	return b, nil
}

// output runs a command with variables added to the environment and returns what it prints.
func output(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env, c.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return out, nil
}

// platform builds the program for a platform and packs it.
func (b *build) platform(ctx context.Context, system, arch string) error {
	program := filepath.Join(b.dir, "winnow-"+system+"-"+arch)
	defer os.Remove(program) //nolint:errcheck // it is packed
	if _, err := output(ctx, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch}, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/winnow"); err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	name := "winnow"
	if system == "windows" {
		name += ".exe"
	}
	legal, err := b.dependencies(ctx, program)
	if err != nil {
		return err
	}
	files := append(append([]file{{name, 0o755, data}}, b.common...), legal...)
	base := fmt.Sprintf("winnow_%s_%s_%s", b.version, system, arch)
	var packed bytes.Buffer
	pack, ending := b.tar, ".tar.gz"
	if system == "windows" {
		pack, ending = b.zip, ".zip"
	}
	if err := pack(&packed, base, files); err != nil {
		return err
	}
	b.archives = append(b.archives, b.packed(system, arch, base, ending, packed.Bytes()))
	if err := b.bundle(system, arch, base, files[0]); err != nil {
		return err
	}
	if err := b.write(base+ending, packed.Bytes()); err != nil || system != "linux" {
		return err
	}
	return b.debian(ctx, arch, append(legal, files[0]))
}

func (b *build) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(b.dir, name), data, 0o644)
}

func (b *build) tar(w io.Writer, base string, files []file) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		if err := t.WriteHeader(&tar.Header{Name: base + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: b.at}); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func (b *build) zip(w io.Writer, base string, files []file) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(base, f.name), Method: zip.Deflate, Modified: b.at}
		h.SetMode(os.FileMode(f.mode))
		out, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// service are the files of a package that runs winnow as a service: the unit, the settings that it names, which dpkg
// does not overwrite where somebody has changed them, and the scripts of the package.
func service() ([]file, error) {
	const config = "etc/winnow/winnow.yaml"
	files := []file{{"DEBIAN/conffiles", 0o644, []byte("/" + config + "\n")}}
	for _, f := range []struct {
		from, to string
		mode     int64
	}{
		{"systemd/winnow.service", "usr/lib/systemd/system/winnow.service", 0o644}, {"debian/winnow.yaml", config, 0o644},
		{"debian/postinst", "DEBIAN/postinst", 0o755}, {"debian/prerm", "DEBIAN/prerm", 0o755}, {"debian/postrm", "DEBIAN/postrm", 0o755},
	} {
		data, err := os.ReadFile(filepath.Join("cmd/winnow/contrib", f.from))
		if err != nil {
			return nil, err
		}
		files = append(files, file{f.to, f.mode, bytes.ReplaceAll(data, []byte("/usr/local/bin/"), []byte("/usr/bin/"))})
	}
	return files, nil
}

// debian makes a package with dpkg-deb, where there is one.
func (b *build) debian(ctx context.Context, arch string, made []file) error {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		fmt.Fprintln(os.Stderr, "release: no dpkg-deb, so no Debian package")
		return nil
	}
	root, err := os.MkdirTemp("", "winnow-deb")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root) //nolint:errcheck // of no use any more
	files, err := service()
	if err != nil {
		return err
	}
	version := b.version
	if version[0] < '0' || version[0] > '9' || !strings.Contains(version, ".") {
		version = "0~" + version // a commit without a tag before it
	}
	places := map[string]string{"winnow.1": "usr/share/man/man1/winnow.1", "completions/winnow.bash": "usr/share/bash-completion/completions/winnow",
		"completions/_winnow": "usr/share/zsh/vendor-completions/_winnow", "completions/winnow.fish": "usr/share/fish/vendor_completions.d/winnow.fish",
		"LICENSE": "usr/share/doc/winnow/copyright", "LICENSES": "usr/share/doc/winnow/LICENSES",
		"winnow.cdx.json": "usr/share/doc/winnow/winnow.cdx.json", "winnow": "usr/bin/winnow"}
	program := made[len(made)-1]
	files = append(files, file{"DEBIAN/control", 0o644, fmt.Appendf(nil, "Package: winnow\nVersion: %s\nArchitecture: %s\nMaintainer: the winnow project <winnow-proxy@users.noreply.github.com>\n"+
		"Section: net\nPriority: optional\nRecommends: ca-certificates\nHomepage: https://github.com/winnow-proxy/winnow\nInstalled-Size: %d\n"+
		"Description: proxy that takes the template out of pages\n winnow learns, from the traffic that it carries, which parts of a site's pages\n"+
		" are template and which are content, and takes the template out.\n", version, arch, len(program.data)>>10)})
	for _, f := range append(made, b.common...) {
		if place, ok := places[f.name]; ok {
			files = append(files, file{place, f.mode, f.data})
		}
	}
	for _, f := range files {
		path := filepath.Join(root, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, os.FileMode(f.mode)); err != nil {
			return err
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		return err
	}
	_, err = output(ctx, []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(b.at.Unix(), 10)}, "dpkg-deb", "-z3", "--root-owner-group", "--build", root,
		filepath.Join(b.dir, fmt.Sprintf("winnow_%s_%s.deb", version, arch)))
	return err
}

// sums writes the sums of all that was packed, as sha256sum --check reads them.
func (b *build) sums() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" || e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(b.dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return b.write("SHA256SUMS", []byte(sums.String()))
}
