package blend

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// product is page i of a shop that declares the price. Beside the product is what recurs on each page.
func product(i int) string {
	side := `<ul class="links"><li><a href="/terms">Terms of delivery</a></li><li><a href="/pay">Ways to pay</a></li></ul>`
	others := ""
	for n := range 4 {
		others += fmt.Sprintf(`<div class="card"><a href="/p/%d"><img src="/%d.jpg">Lamp number %d</a><span>$%d.50</span></div>`, i+n+1, n, i+n+1, 90+n)
	}
	return fmt.Sprintf(`<html><head><title>Lamp number %d</title><script type="application/ld+json">
		{"@type":"Product","name":"Lamp number %d","sku":"L-%d","offers":{"@type":"Offer","price":"%d.00","priceCurrency":"USD"}}</script></head>
		<body><div class="top"><a href="/">Start</a> <a href="/a">All lamps</a></div><div class="main"><h1>Lamp number %d</h1><p>%s</p></div>
		<div class="sidebar widget">%s<p>Price</p><p>$%d</p><p>Our number: L-%d</p>%s</div><div class="related">%s</div></body></html>`,
		i, i, 4700+i, 20+i, i, strings.Repeat(fmt.Sprintf("A lamp of brass and glass for desk %d, with a switch on the foot and a shade that turns. ", i), 4),
		side, 20+i, 4700+i, side, others)
}

// What a page declares about its product stays with its label, however often its place recurs and whatever it is named.
// Prices of other products go.
func TestDeclaredFactsStay(t *testing.T) {
	h := detector(t).newHost(model.Key{})
	for i := range 12 {
		p := viewtest.Parse(t, product(i))
		v := visit(i)
		m := h.Mark(p, v)
		noise := noisyText(p, m)
		for _, fact := range []string{"Price\n", fmt.Sprintf("$%d\n", 20+i), fmt.Sprintf("L-%d\n", 4700+i)} {
			if strings.Contains(noise, fact) {
				t.Errorf("page %d loses %q", i, fact)
			}
		}
		if !strings.Contains(noise, "$91.50\n") {
			t.Errorf("page %d keeps the price of another product", i)
		}
		v.Reading = m.Reading
		h.Observe(p, v)
	}
}
