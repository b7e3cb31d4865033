package main

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// manifest is what the manifests say of winnow. The module beside them checks the rest.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct {
				InitContainers []struct{ Command []string } `yaml:"initContainers"`
				Containers     []struct {
					Args           []string
					Ports          []containerPort
					StartupProbe   probe `yaml:"startupProbe"`
					ReadinessProbe probe `yaml:"readinessProbe"`
					LivenessProbe  probe `yaml:"livenessProbe"`
				}
			}
		}
		Endpoints []struct{ Path string }
		Metrics   []struct {
			Pods struct{ Metric struct{ Name string } }
		}
	}
	// Rules are those of the Prometheus adapter.
	Rules struct {
		Custom []struct {
			SeriesQuery  string `yaml:"seriesQuery"`
			MetricsQuery string `yaml:"metricsQuery"`
			Name         struct{ As string }
		}
	}
}

type containerPort struct {
	ContainerPort int `yaml:"containerPort"`
}

type probe struct {
	HTTPGet struct{ Path string } `yaml:"httpGet"`
}

func readManifest(file string) (m manifest, err error) {
	b, err := os.ReadFile(filepath.Join("contrib/kubernetes", file))
	if err == nil {
		err = yaml.Unmarshal(b, &m)
	}
	return m, err
}

// winnow has the flags, ports and metrics that the manifests name.
func TestManifestsNameWhatThereIs(t *testing.T) {
	read := func(file string) manifest {
		t.Helper()
		m, err := readManifest(file)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	config := filepath.Join(t.TempDir(), "winnow.yaml")
	if err := os.WriteFile(config, []byte(read("configmap.yaml").Data["winnow.yaml"]), 0o600); err != nil {
		t.Fatal(err)
	}
	c := read("deployment.yaml").Spec.Template.Spec.Containers[0]
	args := slices.Clone(c.Args)
	args[slices.Index(args, "--config")+1] = config
	parsed, err := parse(args, console.Environment{})
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	serve := parsed.Command().(*serveCmd)
	for i, addr := range []string{serve.Listen, serve.Admin} {
		if want := c.Ports[i].ContainerPort; !strings.HasSuffix(addr, ":"+strconv.Itoa(want)) {
			t.Errorf("winnow listens on %s, and the container's port is %d", addr, want)
		}
	}
	rule := read("prometheus-adapter.yaml").Rules.Custom[0]
	if asked := read("horizontalpodautoscaler.yaml").Spec.Metrics[1].Pods.Metric.Name; asked != rule.Name.As {
		t.Errorf("the autoscaler asks for %s, and the adapter makes %s", asked, rule.Name.As)
	}
	name := regexp.MustCompile(`^\w+`).FindString(rule.SeriesQuery)
	base, isSum := strings.CutSuffix(name, "_sum")
	if !slices.ContainsFunc(metrics(), func(m prom.Family) bool { return m.Name == base && slices.Contains(m.Labels, "stage") }) ||
		!isSum || !strings.Contains(rule.MetricsQuery, name+`{stage!="read",`) {
		t.Errorf("the adapter asks for %s in %s, which winnow does not have", rule.SeriesQuery, rule.MetricsQuery)
	}
}

// manifests prepares what the manifests give winnow: manifests. It writes the settings of the ConfigMap to winnow.yaml
// and sets the paths that the cluster asks for: STARTED, READY, ALIVE and METRICS.
func manifests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: manifests")
	}
	config, err := readManifest("configmap.yaml")
	ts.Check(err)
	deployment, err := readManifest("deployment.yaml")
	ts.Check(err)
	monitor, err := readManifest("servicemonitor.yaml")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("winnow.yaml"), []byte(config.Data["winnow.yaml"]), 0o600))
	c := deployment.Spec.Template.Spec.Containers[0]
	ts.Setenv("STARTED", c.StartupProbe.HTTPGet.Path)
	ts.Setenv("READY", c.ReadinessProbe.HTTPGet.Path)
	ts.Setenv("ALIVE", c.LivenessProbe.HTTPGet.Path)
	ts.Setenv("METRICS", monitor.Spec.Endpoints[0].Path)
}

// haproxy runs HAProxy with the configuration in contrib, in front of the given winnows: haproxy proxy,admin... It sets
// BALANCED to the address.
func haproxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: haproxy proxy,admin...")
	}
	b, err := os.ReadFile("contrib/haproxy/haproxy.cfg")
	ts.Check(err)
	config, n := string(b), 0
	config = regexp.MustCompile(`(?m)^    server .*$`).ReplaceAllStringFunc(config, func(line string) string {
		if n++; n > len(args) {
			return ""
		}
		proxy, admin, _ := strings.Cut(args[n-1], ",")
		_, port, _ := strings.Cut(admin, ":")
		return "    server " + strings.Fields(line)[1] + " " + proxy + " port " + port
	})
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	socket, err := listener.File()
	ts.Check(err)
	config = strings.Replace(config, "bind :8080", "bind fd@3", 1)
	ts.Check(os.WriteFile(ts.MkAbs("haproxy.cfg"), []byte(config), 0o600))
	cmd := exec.Command("haproxy", "-db", "-q", "-f", ts.MkAbs("haproxy.cfg"))
	cmd.ExtraFiles = []*os.File{socket}
	cmd.Stderr = io.Discard
	ts.Check(cmd.Start())
	ts.Check(socket.Close())
	ts.Defer(func() {
		var ended *exec.ExitError
		if err := errors.Join(cmd.Process.Kill(), cmd.Wait()); err != nil && !errors.As(err, &ended) {
			ts.Logf("end of haproxy: %v", err)
		}
	})
	ts.Setenv("BALANCED", listener.Addr().String())
}

// hold connects to an address and keeps the connection until the script ends: hold address.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold address")
	}
	conn, err := net.DialTimeout("tcp", args[0], patience)
	ts.Check(err)
	ts.Defer(func() { _ = conn.Close() })
}
