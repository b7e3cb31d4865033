package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// module begins the import paths of winnow's own packages.
const module = "github.com/winnow-proxy/winnow/"

// listed is the output of go list for one package.
type listed struct {
	ImportPath, Name, Dir, Doc         string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 8 {
		t.Fatalf("go list found %d packages", len(pkgs))
	}
	return pkgs
}

// layer returns the layer of a package in the order of imports. A package may import its own layer and lower ones.
// Package model is below the detectors, which implement its interfaces, and above page, which its interfaces use.
func layer(path string) int {
	path = strings.TrimPrefix(path, module)
	for i, prefix := range []string{"model/page", "model", "model/", "cache", "proxy", "cmd"} {
		if path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/") && prefix != "model" {
			return i
		}
	}
	return -1
}

// TestRules checks the project's rules for every package.
func TestRules(t *testing.T) {
	pkgs := packages(t)
	for name, rule := range map[string]func(*testing.T, listed){
		"imports run one way":         importsRunOneWay,
		"model knows no HTTP":         modelKnowsNoHTTP,
		"packages say what they are":  packageSaysWhatItIs,
		"no init, model has no clock": noInitNoClock,
		"panics stop in two places":   panicsStopInTwoPlaces,
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range pkgs {
				rule(t, p)
			}
		})
	}
}

func importsRunOneWay(t *testing.T, p listed) {
	const durable = module + "cache/durable"
	alone := p.ImportPath == module+"certs" || p.ImportPath == durable
	if layer(p.ImportPath) < 0 && !alone {
		t.Errorf("%s is in no layer: ARCHITECTURE.md lists cmd, proxy, cache, model and certs", p.ImportPath)
	}
	for _, imp := range p.Imports {
		if strings.HasPrefix(imp, module) && imp != durable && (alone || layer(imp) > layer(p.ImportPath)) {
			t.Errorf("%s imports %s, against the direction cmd, proxy, cache, model", p.ImportPath, imp)
		}
	}
	// Tests may use certs, which is outside the layers.
	for _, imp := range append(p.TestImports, p.XTestImports...) {
		if strings.HasPrefix(imp, module) && layer(imp) > layer(p.ImportPath) {
			t.Errorf("a test of %s imports %s, against the direction cmd, proxy, cache, model", p.ImportPath, imp)
		}
	}
}

// Tunnels and metrics need no parser of HTML.
func TestTunnelsNeedNoParser(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"proxy/tunnel", module+"proxy/metrics").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, out)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(path, "golang.org/x/net/html") || strings.HasPrefix(path, module+"model") || path == module+"proxy/pipeline" {
			t.Errorf("a tunnel needs %s", path)
		}
	}
}

// modelKnowsNoHTTP leaves out what only tests use: pagetest serves pages to a browser.
func modelKnowsNoHTTP(t *testing.T, p listed) {
	if !strings.HasPrefix(p.ImportPath, module+"model") || strings.HasSuffix(p.ImportPath, "/pagetest") {
		return
	}
	for _, imp := range p.Imports {
		if imp == "net/http" || strings.HasPrefix(imp, "net/http/") {
			t.Errorf("%s imports %s", p.ImportPath, imp)
		}
	}
}

func packageSaysWhatItIs(t *testing.T, p listed) {
	if p.Doc == "" {
		t.Errorf("%s has no package comment", p.ImportPath)
	}
}

// noInitNoClock checks that nothing runs before main, and that the model gets the time from its caller.
func noInitNoClock(t *testing.T, p listed) {
	library := strings.HasPrefix(p.ImportPath, module+"model") && p.Name != "main"
	inspect(t, p, func(at string, n ast.Node) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				t.Errorf("%s: func init", at)
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); library && ok && x.Name == "time" && n.Sel.Name == "Now" {
				t.Errorf("%s: the model reads the clock", at)
			}
		}
	})
}

// panicsStopInTwoPlaces checks that only model.Contain and the handlers of requests call recover.
func panicsStopInTwoPlaces(t *testing.T, p listed) {
	if p.ImportPath == module+"proxy/internal/conformance" { // it runs checks, not connections
		return
	}
	inspect(t, p, func(at string, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "recover" {
			return
		}
		for _, file := range []string{"model/contain.go", "proxy/handler.go"} {
			if strings.Contains(filepath.ToSlash(at), "/"+file) {
				return
			}
		}
		t.Errorf("%s: use model.Contain", at)
	})
}

// inspect calls f for each node of a package's code, with its position.
func inspect(t *testing.T, p listed, f func(at string, n ast.Node)) {
	for _, name := range p.GoFiles {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				f(fset.Position(n.Pos()).String(), n)
			}
			return true
		})
	}
}

// TestMapOfProxy checks the order of the proxy's packages in ARCHITECTURE.md: each may import only packages below it.
func TestMapOfProxy(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(proxy[a-z/]*)` \\|").FindAllSubmatch(text, -1) {
		place[module+string(row[1])] = len(place) + 1
	}
	for _, p := range packages(t) {
		mine := place[p.ImportPath]
		inside := strings.HasPrefix(p.ImportPath, module+"proxy")
		if inside && mine == 0 && !strings.Contains(p.ImportPath, "/internal/") {
			t.Errorf("%s is not in ARCHITECTURE.md", p.ImportPath)
		}
		for _, imp := range p.Imports {
			if mine > 0 && place[imp] > 0 && place[imp] < mine {
				t.Errorf("%s imports %s, which is above it in ARCHITECTURE.md", p.ImportPath, imp)
			}
		}
	}
}
