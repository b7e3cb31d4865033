package admin

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// The overview has charts of a day and a week, and the last pages with what became of each, in words and without who
// asked.
func TestActivityIsShown(t *testing.T) {
	o := busy()
	send := serve(t, o)
	_, body := send("GET", "/")
	for _, want := range []string{`id="day"`, `id="week"`, "63 % of the text taken out", "somebody wants the original", ">failed</span>", "192.168.1.20", "3 pages, the last at 12:00 UTC"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
	if n := strings.Count(body, "<g><title>"); n != 24+7 {
		t.Errorf("%d bars", n)
	}
	const list = `data-part="pages"`
	_, pages, _ := strings.Cut(body, list)
	models := o.Models.(*fakeModels)
	listed := models.listed.Load()
	if _, alone := send("GET", "/?only=pages"); !strings.Contains(alone, list+strings.SplitAfter(pages, "</ul>")[0]) || models.listed.Load() != listed {
		t.Errorf("the last pages alone: %d listings of hosts, %s", models.listed.Load()-listed, alone)
	}
	if pages, _, _ = strings.Cut(pages, "</section>"); strings.Contains(pages, "192.168.1.20") || strings.Contains(pages, "type") {
		t.Errorf("the last pages say who asked, or have what is no page: %s", pages)
	}
}

// Sites can be found by a part of their name, and sorted.
func TestSitesAreFoundAndSorted(t *testing.T) {
	send := serve(t, busy())
	for query, want := range map[string]string{
		"": "news.example a-rather-long-name-of-a-site.with.many.labels.example shop.example:8443 wiki.example", "?find=WIKI": "wiki.example", "?find=none": "",
		"?sort=site":               "a-rather-long-name-of-a-site.with.many.labels.example news.example shop.example:8443 wiki.example",
		"?sort=pages&find=example": "news.example a-rather-long-name-of-a-site.with.many.labels.example shop.example:8443 wiki.example",
		"?sort=saved&find=ws.e":    "news.example",
	} {
		_, body := send("GET", "/"+query)
		var got []string
		for _, m := range regexp.MustCompile(`<th scope="row"><a href="/hosts/([^"]+)"`).FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// The operator pauses cleaning for a device, and ends that; only a form of this address does.
func TestDevicesPause(t *testing.T) {
	o := busy()
	send := serve(t, o)
	resp, body := send("GET", "/")
	base := "http://" + resp.Request.URL.Host
	_, section, _ := strings.Cut(body, `data-part="devices"`)
	token := regexp.MustCompile(`name="token" value="([0-9a-f]+)"`).FindStringSubmatch(section)
	if token == nil {
		t.Fatal(body)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, step := range []struct {
		device, token, do string
		status            int
		paused            bool
	}{
		{"192.168.1.20", "0", "pause", 403, false}, {"192.168.1.21", token[1], "pause", 403, false}, {"", token[1], "pause", 400, false},
		{"192.168.1.20", token[1], "pause", 303, true}, {"192.168.1.20", token[1], "resume", 303, false},
	} {
		resp, err := client.PostForm(base+"/devices", url.Values{"device": {step.device}, "token": {step.token}, "do": {step.do}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		mode, chosen := o.Devices.Mode("192.168.1.20")
		if resp.StatusCode != step.status || chosen != step.paused || o.Devices.Paused("192.168.1.20").IsZero() == step.paused {
			t.Errorf("%+v: %s, mode %s %t", step, resp.Status, mode, chosen)
		}
	}
}
