// Reads pages through a proxy, by undici's fetch, which is Node's own:  node fetch.cjs PROXY PAGE...
const { createRequire } = require('node:module')
const { ProxyAgent, fetch } = createRequire(process.env.WINNOW_CLIENTS + '/')('undici')

const [proxy, ...pages] = process.argv.slice(2)
// Without proxyTunnel: false, undici asks for a tunnel even for pages by HTTP.
const dispatcher = new ProxyAgent({ uri: proxy, proxyTunnel: false })
const read = async (page) => (await fetch(page, { dispatcher })).text()

Promise.all(pages.map(read))
  .then((texts) => console.log(texts.join('=====')))
  .catch((err) => { console.error(err); process.exit(1) })
