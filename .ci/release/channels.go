package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// What installs winnow from a release without a script of ours: a formula for Homebrew, a manifest for Scoop, a flake
// for Nix, and, for programs of agents, bundles (MCPB) with the entry of the registry that lists them. Each names the
// addresses of what was packed, with its sum.

const (
	home    = "https://github.com/winnow-proxy/winnow"
	summary = "Proxy that learns the template of each site's pages and removes it"
)

// packed is an archive of the release.
type packed struct {
	System, Arch string
	// Base is the folder in the archive.
	Base, Name, URL, Sum string
}

func (b *build) packed(system, arch, base, ending string, data []byte) packed {
	name := base + ending
	return packed{system, arch, base, name, home + "/releases/download/v" + b.version + "/" + name, fmt.Sprintf("%x", sha256.Sum256(data))}
}

// bundle packs a program for agents (modelcontextprotocol/mcpb, manifest 0.3).
func (b *build) bundle(system, arch, base string, program file) error {
	manifest, err := json.MarshalIndent(map[string]any{
		"manifest_version": "0.3", "name": "winnow", "display_name": "winnow", "version": b.version, "description": "Read web pages without menus, adverts and footers.",
		"author": map[string]string{"name": "the winnow project", "url": home}, "homepage": home, "tools_generated": true,
		"server": map[string]any{"type": "binary", "entry_point": program.name,
			"mcp_config": map[string]any{"command": "${__dirname}/" + program.name, "args": []string{"mcp"}}},
		"compatibility": map[string]any{"platforms": []string{map[string]string{"windows": "win32"}[system] + strings.TrimPrefix(system, "windows")}},
	}, "", " ")
	if err != nil {
		return err
	}
	var data bytes.Buffer
	if err := b.zip(&data, "", []file{{"manifest.json", 0o644, manifest}, program}); err != nil {
		return err
	}
	b.bundles = append(b.bundles, b.packed(system, arch, base, ".mcpb", data.Bytes()))
	return b.write(base+".mcpb", data.Bytes())
}

// channels writes the files for the programs that install.
func (b *build) channels() error {
	for name, text := range map[string]string{"winnow.rb": formula, "flake.nix": flake} {
		t, err := template.New(name).Funcs(template.FuncMap{"nix": nixSystem, "brew": brewArch}).Parse(text)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, map[string]any{"Home": home, "Summary": summary, "Version": b.version, "Archives": b.archives, "Systems": []string{"darwin", "linux"}}); err != nil {
			return err
		}
		if err := b.write(name, out.Bytes()); err != nil {
			return err
		}
	}
	if err := b.json("winnow.json", b.scoop()); err != nil {
		return err
	}
	var packages []map[string]any
	for _, p := range b.bundles {
		packages = append(packages, map[string]any{"registryType": "mcpb", "identifier": p.URL, "version": b.version, "fileSha256": p.Sum, "transport": map[string]string{"type": "stdio"}})
	}
	return b.json("server.json", map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": "io.github.winnow-proxy/winnow", "title": "winnow",
		"description": "Reads web pages without menus, adverts and footers, and says what has changed on them.", "version": b.version, "websiteUrl": home,
		"repository": map[string]string{"url": home, "source": "github"}, "packages": packages,
	})
}

func (b *build) json(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return b.write(name, append(data, '\n'))
}

// scoop is the manifest for Scoop, on Windows.
func (b *build) scoop() map[string]any {
	architectures := map[string]any{}
	for _, p := range b.archives {
		if name := map[string]string{"amd64": "64bit", "arm64": "arm64"}[p.Arch]; p.System == "windows" && name != "" {
			architectures[name] = map[string]string{"url": p.URL, "hash": p.Sum, "extract_dir": p.Base}
		}
	}
	return map[string]any{"version": b.version, "description": summary, "homepage": home, "license": "Apache-2.0", "architecture": architectures, "bin": "winnow.exe",
		"checkver": "github"}
}

func nixSystem(p packed) string {
	return map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.Arch] + "-" + p.System
}

func brewArch(p packed) string { return map[string]string{"amd64": "intel", "arm64": "arm"}[p.Arch] }

const formula = `class Winnow < Formula
  desc "{{.Summary}}"
  homepage "{{.Home}}"
  version "{{.Version}}"
  license "Apache-2.0"
{{range $system := .Systems}}
  on_{{if eq $system "darwin"}}macos{{else}}linux{{end}} do{{range $.Archives}}{{if eq .System $system}}
    on_{{brew .}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end{{end}}{{end}}
  end
{{end}}
  def install
    bin.install "winnow"
    man1.install "winnow.1"
    bash_completion.install "completions/winnow.bash" => "winnow"
    zsh_completion.install "completions/_winnow"
    fish_completion.install "completions/winnow.fish"
  end

  service do
    run [opt_bin/"winnow", "serve"]
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/winnow version")
  end
end
`

const flake = `{
  description = "{{.Summary}}";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs = { self, nixpkgs }:
    let
      archives = {
{{- range .Archives}}{{if ne .System "windows"}}
        {{nix .}} = { url = "{{.URL}}"; sha256 = "{{.Sum}}"; };{{end}}{{end}}
      };
    in {
      packages = builtins.mapAttrs (system: archive:
        let pkgs = nixpkgs.legacyPackages.${system}; in {
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "winnow";
            version = "{{.Version}}";
            src = pkgs.fetchurl archive;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            installPhase = ''
              install -Dm755 winnow $out/bin/winnow
              installManPage winnow.1
              installShellCompletion --bash completions/winnow.bash --zsh completions/_winnow --fish completions/winnow.fish
            '';
            meta = { homepage = "{{.Home}}"; description = "{{.Summary}}"; license = pkgs.lib.licenses.asl20; mainProgram = "winnow"; };
          };
        }) archives;
    };
}
`
