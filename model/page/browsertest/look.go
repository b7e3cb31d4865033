package browsertest

// lookScript returns a View of the page that it runs in.
const lookScript = `(() => {
  const seen = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true});
  const skips = e => getComputedStyle(e).contentVisibility === 'hidden';
  const blockOf = e => { while (e.parentElement && getComputedStyle(e).display.startsWith('inline')) e = e.parentElement; return e; };
  const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
  const blocks = new Map();
  let text = '';
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement;
    if (!n.data.trim() || !e || /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|TITLE)$/.test(e.tagName) || !seen(e) || skips(e)) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    const box = range.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;
    text += n.data + ' ';
    const block = blockOf(e);
    blocks.set(block, (blocks.get(block) || 0) + n.data.trim().length);
  }
  const main = [...blocks].filter(([e, n]) => n >= 60 && !/^(TD|TH|PRE)$/.test(e.tagName))
    .map(([e, n]) => [e.getBoundingClientRect(), n]).sort((a, b) => a[0].width - b[0].width);
  let half = main.reduce((sum, m) => sum + m[1], 0) / 2, column = 0;
  for (const [box, n] of main) {
    column = box.width;
    if ((half -= n) <= 0) break;
  }
  const paragraphs = [...blocks].filter(([e, n]) => n >= 12).map(([e]) => ({start: e.textContent.replace(/\s+/g, ' ').trim().slice(0, 60),
    top: e.getBoundingClientRect().top + scrollY})).sort((a, b) => a.top - b.top).slice(0, 400);
  const root = document.scrollingElement || document.documentElement;
  const height = Math.max(root.scrollHeight, document.body ? document.body.scrollHeight : 0);
  const at = scrollY;
  scrollTo({top: height, behavior: 'instant'});
  const ofRoot = getComputedStyle(document.documentElement).overflowY;
  const overflow = ofRoot === 'visible' && document.body ? getComputedStyle(document.body).overflowY : ofRoot;
  const scrolls = height <= innerHeight + 20 || scrollY > 0 && overflow !== 'hidden' && overflow !== 'clip';
  scrollTo({top: at, behavior: 'instant'});
  const actions = [...document.querySelectorAll('button, input:not([type=hidden]), textarea, select, [contenteditable], a[rel~=next], a[rel~=prev]')].filter(seen).length;
  const folded = text.replace(/\s+/g, ' ').trim();
  const screen = visualViewport ? visualViewport.width * visualViewport.scale : innerWidth;
  return {text: folded, characters: folded.replace(/\s/g, '').length, width: root.scrollWidth, height, screen_width: document.documentElement.clientWidth,
    column: column / document.documentElement.clientWidth, paragraphs, scrolls, actions, marked: [...document.querySelectorAll('.act')].filter(seen).length,
    bytes: performance.getEntries().reduce((sum, e) => sum + (e.transferSize || 0), 0), errors: window.winnowErrors || []};
})()`

// errorScript collects what goes wrong in the scripts of a page, and what they report as an error.
const errorScript = `window.winnowErrors = [];
addEventListener('error', e => { if (e.message) window.winnowErrors.push(String(e.message)); });
addEventListener('unhandledrejection', e => window.winnowErrors.push('unhandled: ' + e.reason));
const report = console.error;
console.error = (...args) => { window.winnowErrors.push(args.map(String).join(' ')); report(...args); };`
