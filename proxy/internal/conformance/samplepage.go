package conformance

// samplePage is a page with enough boilerplate for a cleaning proxy to remove some.
const samplePage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>How a lock lifts a boat</title></head><body>
<header><nav><ul><li><a href="/">Home</a></li><li><a href="/boats">Boats</a></li><li><a href="/locks">Locks</a></li>
<li><a href="/shop">Shop</a></li><li><a href="/login">Log in</a></li></ul></nav></header>
<main><article><h1>How a lock lifts a boat</h1>
<p>A lock is a short piece of canal between two gates. The boat comes in from below, the lower gate is shut behind it, and
water is let in from above until it stands as high inside as it does beyond the upper gate.</p>
<p>No pump is needed for any of this, since the water comes down by itself. What it costs is a lock full of water for each
passage, which is why canals that climb a hill want a reservoir at the top of it, and why boats are asked to share a lock.</p>
<p>The gates meet at an angle that points upstream. The higher water presses them together, and the harder it presses the
tighter they close, so that nobody can open them before both sides stand level.</p></article></main>
<aside class="sidebar"><h2>Most read</h2><ul><li><a href="/1">Ten knots</a></li><li><a href="/2">Old maps</a></li>
<li><a href="/3">Tar</a></li></ul><div class="advert"><a href="/ad">Buy rope today</a></div></aside>
<footer><p><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a> <a href="/contact">Contact</a> &copy; 2026</p></footer>
</body></html>
`
