import { generateHydrationScript, renderToString } from 'solid-js/web'
import { App } from './app.jsx'

export const render = (slug) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Kettle Almanac</title><meta name="viewport" content="width=device-width">` +
  `<link rel="stylesheet" href="/site.css">${generateHydrationScript()}</head><body><div id="kettle">${renderToString(() => <App slug={slug} />)}</div><script type="module" src="/browser.js"></script></body></html>`
