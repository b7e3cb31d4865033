package browsertest

import (
	"context"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// stop is what the Tab key leads to.
type stop struct {
	// Label is the element's text, Kind its name. Number is its number among what takes input, -1 for none of that.
	Label  string `json:"label"`
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	// Shown says that the element is on the screen, Outlined that it shows that it has the focus.
	Shown    bool `json:"shown"`
	Outlined bool `json:"outlined"`
}

// What takes input, each group of radio buttons once, as the Tab key visits them.
const inputsScript = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, [tabindex='0']")]
  .filter((e, i, all) => e.checkVisibility() && !e.disabled && !(e.type === "radio" && all.some(o => o.type === "radio" && o.name === e.name && o !== e && (o.checked || !e.checked && all.indexOf(o) < i))))`

const stopScript = `(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return { kind: "", label: "", number: -1, shown: true, outlined: true };
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  const label = (e.labels && e.labels[0] || e).textContent.trim() || e.getAttribute("aria-label") || e.name || "";
  return { kind: e.localName, label: label.replace(/\s+/g, " ").slice(0, 60), number: ` + inputsScript + `.indexOf(e),
    shown: box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
})()`

// WalkByKeyboard goes through the page at a URL with the Tab key, on a screen of a width in CSS pixels. It returns the
// labels of what it reached, and what is wrong: what takes input and was not reached, or in another order, or is not on
// the screen or looks the same when it has the focus (WCAG 2.2 §2.1.1, §2.4.3, §2.4.7).
func (b *Browser) WalkByKeyboard(ctx context.Context, url string, width int64) (reached, faults []string, err error) {
	err = b.open(ctx, url, func(tab context.Context) error {
		inputs, err := chromedp.Run(tab, chromedp.Evaluate[int](inputsScript+".length"))
		if err != nil {
			return err
		}
		for n := 0; ; n++ {
			if err := chromedp.Do(tab, chromedp.KeyEvent(kb.Tab)); err != nil {
				return err
			}
			s, err := chromedp.Run(tab, chromedp.Evaluate[stop](stopScript))
			if err != nil {
				return err
			}
			if s.Kind == "" || n > inputs {
				if n != inputs {
					faults = append(faults, "the Tab key does not reach as many elements as take input")
				}
				return nil
			}
			name := s.Kind + " " + s.Label
			reached = append(reached, s.Label)
			for fault, is := range map[string]bool{"out of order": s.Number != n, "not on the screen": !s.Shown, "without a mark of focus": !s.Outlined} {
				if is {
					faults = append(faults, name+": "+fault)
				}
			}
		}
	}, chromedp.EmulateViewport(width, Height), chromedp.Navigate(url))
	return reached, faults, err
}
