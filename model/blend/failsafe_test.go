package blend

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

// Shells of applications have very little text of their own, and all of it has to stay.
func TestApplicationsPass(t *testing.T) {
	for name, src := range map[string]string{
		"empty root":        `<body><div id="root"></div><script src=/main.js></script>`,
		"loading":           `<body><div id="app"><div class=spinner>Loading…</div></div><script type=module src=/main.js></script>`,
		"notice and footer": `<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=__next></div><footer>© 2024 Kettle Maps</footer><script src=/n.js></script>`,
		"custom element":    `<body><kettle-app></kettle-app><p class=old>Your browser is too old for Kettle Maps. Please choose another.</p><script src=/p.js></script>`,
		"scripts wanted":    `<body><noscript>Please switch on JavaScript</noscript><p>One moment</p><script>boot()</script>`,
		"canvas":            `<body><h1>Kettle Tetris</h1><canvas id=c role=application></canvas><script src=g.js></script>`,
		"no text":           `<body><canvas></canvas><script src=g.js></script>`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, pages := range [][]int{nil, {1, 2, 3, 4, 5}} {
				h := taught(t, detector(t), pages...)
				if m := h.Mark(viewtest.Parse(t, "<title>Kettle</title>"+src), visit(9)); m.Pass != "application" || m.PageKind != page.PageApplication || len(m.Marks) > 0 {
					t.Errorf("after %d pages it is %s and passes for %q", len(pages), m.PageKind, m.Pass)
				}
			}
		})
	}
}

// Pages that only look like a shell are cleaned: a page that was rendered on the server, a short page with a script.
func TestDocumentsAreNoApplications(t *testing.T) {
	h := taught(t, detector(t), 1, 2, 3, 4, 5)
	for name, src := range map[string]string{
		"rendered": strings.NewReplacer("<body>", "<body><div id=root>", "</body>", "</div><script src=/main.js></script></body>").Replace(viewtest.SitePage(9)),
		"short":    "<body><h1>Closed on Monday</h1><p>We are back on Tuesday at nine.</p><script src=/count.js></script>",
	} {
		if m := h.Mark(viewtest.Parse(t, src), visit(9)); m.Pass != "" {
			t.Errorf("%s passes for %q", name, m.Pass)
		}
	}
}

// around puts a form into the template of sitePage.
func around(form string) string {
	before, rest, _ := strings.Cut(viewtest.SitePage(1), `<div class="story">`)
	_, after, _ := strings.Cut(rest, `<div class="end">`)
	return before + form + `<div class="end">` + after
}

// forms are pages whose purpose is a form, in several styles. Every control and label in them is needed.
func formPages() map[string]string {
	country := ""
	for _, c := range []string{"Austria", "Belgium", "Denmark", "Finland", "France", "Germany", "Ireland", "Italy"} {
		country += "<option>" + c + "</option>"
	}
	return map[string]string{
		"login": `<div class="story"><h1>Sign in</h1><form action=/login method=post><label for=u>User name</label><input id=u name=u>
			<label for=p>Password</label><input id=p type=password name=p><label><input type=checkbox name=r> Remember me</label>
			<button type=submit>Sign in</button> <a href=/lost>Forgot your password?</a></form></div>`,
		"login without labels": `<div class=login-box><form action=/login><input name=u placeholder=User><input type=password name=p><input type=submit value=Enter></form><p><a href=/lost>Lost it?</a></p></div>`,
		"login without form":   `<div class=box><div><span>Mail</span><input type=email name=u></div><div><span>Password</span><input type=password></div><button onclick=go()>Log in</button></div>`,
		"login of 1999": `<center><form method=post action=/cgi-bin/login><table border=1><tr><td><b>Name:</b></td><td><input name=u></td></tr><tr><td><b>Password:</b></td><td><input type=password name=p></td></tr>
			<tr><td colspan=2><input type=submit value="Enter the members' area"></td></tr></table></form></center>`,
		"checkout": `<div class="checkout"><h2>Checkout</h2><form action=/order method=post><fieldset><legend>Deliver to</legend><label>Name <input name=n></label><label>Street <input name=s></label><label>Town <input name=t></label>
			<label>Country <select name=c>` + country + `</select></label></fieldset><fieldset><legend>Pay by</legend><label><input type=radio name=m> Card</label><label><input type=radio name=m> Invoice</label></fieldset>
			<label><input type=checkbox name=agb> I accept the terms</label><button>Place order</button></form></div>`,
		"search": `<div class=q><form action=/find><input name=q size=60><button>Find it</button></form></div>`,
	}
}

func TestMainFormsStayWhole(t *testing.T) {
	for name, form := range formPages() {
		t.Run(name, func(t *testing.T) {
			for _, learned := range []int{0, 1, 30} {
				h := detector(t).newHost(model.Key{})
				for i := range learned {
					h.Observe(viewtest.Parse(t, viewtest.SitePage(i+2)), visit(i+2))
				}
				p := viewtest.Parse(t, around(form))
				m := h.Mark(p, model.Visit{URL: "http://host.example/form"})
				if m.Pass != "" {
					continue // whole as it is
				}
				if got := missing(form, viewtest.Without(t, p, m.Marks)); got != "" {
					t.Errorf("after %d pages these are lost: %s", learned, got)
				}
				if m.PageKind != page.PageApplication {
					t.Errorf("after %d pages the page is %s", learned, m.PageKind)
				}
			}
		})
	}
}

// missing lists the controls and words of a form that out lacks.
func missing(form, out string) string {
	var lost []string
	for _, part := range strings.Split(form, "<") {
		tag, text, _ := strings.Cut(part, ">")
		for _, control := range []string{"input", "select", "button", "option", "form", "label", "legend"} {
			if strings.HasPrefix(tag, control) && !strings.Contains(out, "<"+tag+">") {
				lost = append(lost, "<"+tag+">")
			}
		}
		inForm := strings.Contains(form, "<form") && strings.Index(form, part) > strings.Index(form, "<form") && strings.Index(form, part) < strings.Index(form, "</form")
		if text = strings.TrimSpace(text); inForm && text != "" && !strings.Contains(out, text) {
			lost = append(lost, text)
		}
	}
	return strings.Join(lost, " ")
}

// A form of the template is not the purpose of a page.
func TestTemplateForms(t *testing.T) {
	boxes := map[string]string{
		"header search": `<header><form role=search><input name=q><button>Find</button></form></header>`,
		"sidebar login": `<div class=sidebar><form><b>Members</b><input name=u><input type=password name=p><button>Log in</button></form></div>`,
		"newsletter":    `<footer><form><label>Mail <input type=email></label><label>Name <input name=n></label><button>Subscribe</button></form></footer>`,
		"popup":         `<div class=modal><form><label>Mail <input type=email></label><input type=password><button>Log in</button></form></div>`,
		"hidden":        `<form style="display: none"><input name=u><input type=password name=p><button>Log in</button></form>`,
		"unclosed":      `<form action=/find><input name=q><div>` + strings.Repeat("<p><a href=/x>another page of ours</a></p>", 20) + `</div>`,
	}
	h := detector(t).newHost(model.Key{})
	for name, box := range boxes {
		v := viewtest.ViewOf(t, "<body><p c>Closed today.</p>"+box)
		if form := mainFormOf(h, v); form != page.None {
			t.Errorf("%s: the page is for it", name)
		}
	}
	// An unnamed box says what it is when the next pages have it too.
	box := `<div><form><p>Tell us your name and town</p><input name=n><input name=t><button>Send</button></form></div>`
	v := viewtest.ViewOf(t, "<body><p c>Closed today.</p>"+box)
	if mainFormOf(h, v) == page.None {
		t.Error("an unnamed form is not found")
	}
	for i := range 6 {
		h.Observe(viewtest.Parse(t, strings.Replace(viewtest.SitePage(i), `<div class="end">`, box+`<div class="end">`, 1)), visit(i))
	}
	if mainFormOf(h, v) != page.None {
		t.Errorf("after %d pages with it, the page is for the form", h.memory.Pages)
	}
}

// mainFormOf returns the main form of a page of a host.
func mainFormOf(h *Host, v *view.Page) page.ElementID {
	ev := features.NewEvidence(memory.Recall{Memory: h.memory}, v)
	return parts.NewOutline(v).MainForm(viewtest.GoldVerdicts(v), func(e page.ElementID) float32 { return ev.FormShare(v.Elements[e].Subtree) })
}
