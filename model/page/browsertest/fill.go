package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// fillScript finds fields by their labels and a button by its words, as people do; it returns what it did not find.
const fillScript = `((fields, button) => {
  for (const [label, value] of Object.entries(fields || {})) {
    const at = [...document.querySelectorAll("label")].find(l => l.textContent.trim() === label);
    const field = at && at.control;
    if (!field) return "no field " + label;
    const box = field.type === "checkbox" || field.type === "radio";
    if (box) field.checked = value !== ""; else field.value = value;
    if (!box && field.value !== value) return label + " does not take " + value;
  }
  const to = [...document.querySelectorAll("button")].find(b => b.textContent.trim() === button);
  if (!to) return "no button " + button;
  for (let up = to.closest("details"); up; up = up.parentElement.closest("details")) up.open = true;
  to.setAttribute("data-press", "");
  return "";
})`

// Fill fills in fields of the page at a URL, by their labels, presses a button, by its words, and returns the title of
// the page that comes then. What hides the button is unfolded first. Scripts of the page don't run.
func (b *Browser) Fill(ctx context.Context, url string, fields map[string]string, button string) (title string, err error) {
	tab, end := chromedp.NewContext(b.ctx)
	defer end()
	stop := context.AfterFunc(ctx, end)
	defer stop()
	tab, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	values, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	words, err := json.Marshal(button)
	if err != nil {
		return "", err
	}
	err = chromedp.Do(tab, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}), chromedp.Navigate(url))
	if err != nil {
		return "", fmt.Errorf("going to %s: %w", url, err)
	}
	missing, err := chromedp.Run(tab, chromedp.Evaluate[string](fillScript+"("+string(values)+", "+string(words)+")"))
	if err != nil || missing != "" {
		return "", fmt.Errorf("filling in %s: %s: %w", url, missing, err)
	}
	if err := chromedp.Do(tab, chromedp.Click("[data-press]"), chromedp.Sleep(300*time.Millisecond)); err != nil {
		return "", fmt.Errorf("pressing %s: %w", button, err)
	}
	return chromedp.Run(tab, chromedp.Evaluate[string]("document.title"))
}
