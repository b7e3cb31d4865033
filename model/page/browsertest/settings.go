package browsertest

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Setting is a way to look at a page.
type Setting struct {
	// Width is the width of the screen in CSS pixels.
	Width int64
	Dark  bool
}

// Seen is what a person sees of a page in a setting.
type Seen struct {
	View
	// Overlaps are pairs of texts that are printed over each other.
	Overlaps []string `json:"overlaps"`
	// Faint are texts that can hardly be told from their ground.
	Faint []string `json:"faint"`
	// Picture is a PNG, if pictures are asked for.
	Picture []byte `json:"-"`
}

// Visit shows the page at a URL on a phone, with an empty cache, and looks at it in several settings, one after the
// other. Then it presses all controls that are there, and returns for each, by its words, whether anything showed that
// it was pressed.
func (b *Browser) Visit(ctx context.Context, url string, settings []Setting, pictures bool) (seen []Seen, pressed map[string]bool, err error) {
	err = b.open(ctx, url, func(tab context.Context) error {
		for _, s := range settings {
			if err := chromedp.Do(tab, screenOf(s), chromedp.Sleep(30*time.Millisecond)); err != nil {
				return fmt.Errorf("setting the screen: %w", err)
			}
			v, err := chromedp.Run(tab, chromedp.Evaluate[Seen](settingScript))
			if err != nil {
				return err
			}
			if pictures {
				if v.Picture, err = chromedp.Run(tab, chromedp.CaptureScreenshot()); err != nil {
					return err
				}
			}
			seen = append(seen, v)
		}
		if err := chromedp.Do(tab, screenOf(settings[0])); err != nil {
			return err
		}
		pressed, err = chromedp.Run(tab, chromedp.Evaluate[map[string]bool](pressScript, chromedp.EvalAwaitPromise))
		return err
	}, screenOf(settings[0]), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: errorScript})
		return err
	}), chromedp.Navigate(url), chromedp.Sleep(150*time.Millisecond))
	return seen, pressed, err
}

// screenOf gives a tab the screen of a phone or tablet, in its light or dark colours.
func screenOf(s Setting) chromedp.Action[chromedp.Void] {
	scheme := "light"
	if s.Dark {
		scheme = "dark"
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(s.Width, Height, chromedp.EmulateMobile, chromedp.EmulateTouch)); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}

// settingScript returns a Seen of the page that it runs in. Two texts overlap if their lines share much of an area in
// which both can be seen. What is fixed on the screen passes over texts as they scroll.
const settingScript = `(() => {
  const view = ` + lookScript + `;
  const fixed = e => { for (; e; e = e.parentElement) if (/fixed|sticky/.test(getComputedStyle(e).position)) return true; return false; };
  const clip = (r, e) => {
    let box = {left: r.left, right: r.right, top: r.top, bottom: r.bottom};
    for (; e && e !== document.body && e !== document.documentElement; e = e.parentElement) {
      const s = getComputedStyle(e);
      if (s.overflowX === 'visible' && s.overflowY === 'visible') continue;
      const b = e.getBoundingClientRect();
      box = {left: Math.max(box.left, b.left), right: Math.min(box.right, b.right), top: Math.max(box.top, b.top), bottom: Math.min(box.bottom, b.bottom)};
    }
    return box;
  };
  const rgb = c => { const m = c.match(/[\d.]+/g); return m && !/^(oklch|lab|color)/.test(c) ? m.map(Number) : null; };
  const light = c => { const f = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; return .2126 * f(c[0]) + .7152 * f(c[1]) + .0722 * f(c[2]); };
  const groundOf = e => {
    for (; e; e = e.parentElement) {
      const s = getComputedStyle(e), c = rgb(s.backgroundColor);
      if (s.backgroundImage !== 'none' || !c || c.length > 3 && c[3] > 0 && c[3] < 1) return null;
      if (c.length < 4 || c[3] === 1) return c;
    }
    return matchMedia('(prefers-color-scheme:dark)').matches && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18] : [255, 255, 255];
  };
  const lines = [], faint = [];
  const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement;
    if (!n.data.trim() || !e || /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|TITLE|OPTION)$/.test(e.tagName) || !e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    let rects = [...range.getClientRects()].filter(r => r.width > 3 && r.height > 3).map(r => clip(r, e)).filter(r => r.right - r.left > 3 && r.bottom - r.top > 3);
    if (!rects.length) continue;
    const ground = groundOf(e), ink = rgb(getComputedStyle(e).color);
    if (ground && ink && (ink.length < 4 || ink[3] === 1)) {
      const a = light(ground) + .05, b = light(ink) + .05;
      if (Math.max(a, b) / Math.min(a, b) < 1.8) faint.push(n.data.trim().slice(0, 40));
    }
    if (!fixed(e)) for (const r of rects) lines.push({r, n});
  }
  lines.sort((a, b) => a.r.top - b.r.top);
  const overlaps = [];
  for (let i = 0; i < lines.length && overlaps.length < 20; i++) {
    const a = lines[i];
    for (let j = i + 1; j < lines.length && lines[j].r.top < a.r.bottom; j++) {
      const b = lines[j];
      if (a.n === b.n) continue;
      const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
      const least = Math.min(a.r.bottom - a.r.top, b.r.bottom - b.r.top);
      if (w > 4 && h > .5 * least) overlaps.push(a.n.data.trim().slice(0, 30) + ' / ' + b.n.data.trim().slice(0, 30));
    }
  }
  return {...view, overlaps, faint};
})()`

// pressScript presses what a person can press, and returns for each whether the page showed it.
const pressScript = `(async () => {
  const seen = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true}) && e.getBoundingClientRect().width > 0;
  document.addEventListener('click', e => { const a = e.target.closest && e.target.closest('a[href]'); if (a && !a.getAttribute('href').startsWith('#')) e.preventDefault(); }, true);
  document.addEventListener('submit', e => e.preventDefault(), true);
  const look = () => document.body.innerText + '|' + [...document.querySelectorAll('body *')].filter(seen).length + '|' + document.querySelectorAll(':checked,[open]').length;
  const result = {}, count = {};
  const all = [...document.querySelectorAll('button,summary,[role=tab],[role=button],label,a[href^="#"]')].filter(e => seen(e) && !(e.closest('form') && e.type === 'submit') && !(e.control && !/checkbox|radio/.test(e.control.type))).slice(0, 60);
  for (const c of all) {
    if (!c.isConnected || !seen(c)) continue;
    let name = (c.textContent.trim() || c.getAttribute('aria-label') || c.title || c.className || c.localName).replace(/\s+/g, ' ').slice(0, 50);
    count[name] = (count[name] || 0) + 1;
    if (count[name] > 1) name += ' ' + count[name];
    scrollTo({top: 300, behavior: 'instant'});
    const before = look(), at = scrollY;
    try { c.click(); } catch (e) { continue; }
    await new Promise(done => setTimeout(done, 15));
    const target = c.localName === 'a' && document.getElementById(decodeURIComponent((c.hash || '#').slice(1)));
    result[name] = before !== look() || scrollY !== at || !!target && seen(target);
    document.querySelectorAll('dialog[open]').forEach(d => d.close());
  }
  return result;
})()`
