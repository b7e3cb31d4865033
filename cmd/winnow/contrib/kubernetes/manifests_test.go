package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// notObjects are the files that the cluster does not get.
func notObjects() []string { return []string{"kustomization.yaml", "prometheus-adapter.yaml"} }

// newDecoder returns a decoder of the types in the manifests. A field that they don't have, or have twice, is an error.
func newDecoder(t *testing.T) runtime.Decoder {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{core.AddToScheme, apps.AddToScheme, policy.AddToScheme,
		autoscaling.AddToScheme, networking.AddToScheme, monitoring.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// objects decodes all manifests.
func objects(t *testing.T) map[string]runtime.Object {
	t.Helper()
	decoder, all := newDecoder(t), map[string]runtime.Object{}
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if slices.Contains(notObjects(), file) {
			continue
		}
		for _, doc := range documents(t, file) {
			o, kind, err := decoder.Decode(doc, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all[kind.Kind+" "+o.(meta.Object).GetName()] = o
		}
	}
	return all
}

// documents returns the documents of a file in YAML.
func documents(t *testing.T, file string) (docs [][]byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(b)))
	defer r.Close()
	buf := make([]byte, len(b))
	for {
		n, err := r.Read(buf)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, slices.Clone(buf[:n]))
	}
}

// A misspelt field must not pass for a setting.
func TestUnknownFieldsAreErrors(t *testing.T) {
	for _, spec := range []string{"replica: 3", "replicas: 3\n  replicas: 4", "replicas: three"} {
		doc := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: winnow\nspec:\n  " + spec
		if _, _, err := newDecoder(t).Decode([]byte(doc), nil, nil); err == nil {
			t.Errorf("%q was decoded", spec)
		}
	}
}

func TestManifestsAreComplete(t *testing.T) {
	all := objects(t)
	for _, want := range []string{"ConfigMap winnow", "Deployment winnow", "Service winnow", "Service winnow-admin",
		"PodDisruptionBudget winnow", "HorizontalPodAutoscaler winnow", "NetworkPolicy winnow", "ServiceMonitor winnow"} {
		if all[want] == nil {
			t.Errorf("there is no %s", want)
		}
	}
	var k struct {
		Resources []string `json:"resources"`
	}
	b, err := os.ReadFile("kustomization.yaml")
	if err == nil {
		err = strict.Unmarshal(b, &k)
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if slices.Contains(k.Resources, file) == slices.Contains(notObjects(), file) {
			t.Errorf("kustomization.yaml: %s is missing, or too much", file)
		}
	}
}

// What the linters of manifests ask for: no root, nothing to write to but volumes, no capabilities, resources, probes.
func TestPodIsConfined(t *testing.T) {
	pod := objects(t)["Deployment winnow"].(*apps.Deployment).Spec.Template.Spec
	if s := pod.SecurityContext; !*s.RunAsNonRoot || *s.RunAsUser == 0 || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the pod may do too much: %v", s)
	}
	if *pod.AutomountServiceAccountToken || pod.HostNetwork || pod.HostPID || pod.HostIPC {
		t.Error("the pod has the account, or a namespace of the host")
	}
	for _, c := range append(slices.Clone(pod.InitContainers), pod.Containers...) {
		s := c.SecurityContext
		if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) ||
			len(s.Capabilities.Add) > 0 || s.Privileged != nil {
			t.Errorf("container %s may do too much: %v", c.Name, s)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("container %s: resources %v", c.Name, c.Resources)
		}
		if len(c.Env) > 0 {
			t.Errorf("container %s: settings belong into the ConfigMap, secrets into files: %v", c.Name, c.Env)
		}
		for _, m := range c.VolumeMounts {
			if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("container %s mounts %s, which is no volume", c.Name, m.Name)
			}
		}
	}
	c := pod.Containers[0]
	if c.ReadinessProbe == nil || c.LivenessProbe == nil || c.StartupProbe == nil {
		t.Error("a probe is missing")
	}
	// winnow takes 10 s for requests under way and 30 for its models.
	if grace := *pod.TerminationGracePeriodSeconds; grace < c.Lifecycle.PreStop.Sleep.Seconds+10+30 {
		t.Errorf("after %d s the pod is killed", grace)
	}
}

// All objects name the same pods, ports and secrets.
func TestManifestsFitTogether(t *testing.T) {
	all := objects(t)
	deployment := all["Deployment winnow"].(*apps.Deployment)
	pod, c := deployment.Spec.Template, deployment.Spec.Template.Spec.Containers[0]
	selects := func(what string, s *meta.LabelSelector, set map[string]string) {
		t.Helper()
		selector, err := meta.LabelSelectorAsSelector(s)
		if err != nil || selector.Empty() || !selector.Matches(labels.Set(set)) {
			t.Errorf("%s does not select %v (%v)", what, set, err)
		}
	}
	hasPort := func(what string, port intstr.IntOrString) {
		t.Helper()
		if !slices.ContainsFunc(c.Ports, func(p core.ContainerPort) bool { return p.Name == port.StrVal }) {
			t.Errorf("%s has the port %v, which the container lacks", what, port)
		}
	}
	selects("the Deployment", deployment.Spec.Selector, pod.Labels)
	selects("the PodDisruptionBudget", all["PodDisruptionBudget winnow"].(*policy.PodDisruptionBudget).Spec.Selector, pod.Labels)
	network := all["NetworkPolicy winnow"].(*networking.NetworkPolicy).Spec
	selects("the NetworkPolicy", &network.PodSelector, pod.Labels)
	for _, from := range network.Ingress {
		hasPort("the NetworkPolicy", *from.Ports[0].Port)
	}
	for _, name := range []string{"winnow", "winnow-admin"} {
		service := all["Service "+name].(*core.Service).Spec
		selects("the Service "+name, &meta.LabelSelector{MatchLabels: service.Selector}, pod.Labels)
		hasPort("the Service "+name, service.Ports[0].TargetPort)
	}
	for _, p := range []*core.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		hasPort("a probe", p.HTTPGet.Port)
	}
	admin := all["Service winnow-admin"].(*core.Service)
	monitor := all["ServiceMonitor winnow"].(*monitoring.ServiceMonitor).Spec
	selects("the ServiceMonitor", &monitor.Selector, admin.Labels)
	selects("the ServiceMonitor's own labels", &meta.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/component": "admin"}}, admin.Labels)
	if e := monitor.Endpoints[0]; e.Port != admin.Spec.Ports[0].Name {
		t.Errorf("the ServiceMonitor asks for the port %q", e.Port)
	}
	scaler := all["HorizontalPodAutoscaler winnow"].(*autoscaling.HorizontalPodAutoscaler).Spec
	if to := scaler.ScaleTargetRef; to.Kind != "Deployment" || to.Name != deployment.Name || to.APIVersion != deployment.APIVersion ||
		deployment.Spec.Replicas != nil || *scaler.MinReplicas < 2 {
		t.Errorf("the HorizontalPodAutoscaler scales %v from %d", to, *scaler.MinReplicas)
	}
	if container := scaler.Metrics[0].ContainerResource.Container; container != c.Name {
		t.Errorf("the HorizontalPodAutoscaler measures the container %s", container)
	}
}
