// Renders one page with each framework as a server would, and bundles what takes it over in the browser: NAME.html and
// NAME.js in the folder that is the first argument. The page counts what a reader would: it says "taken over" once it is.
import { build } from 'esbuild'
import { compile } from 'svelte/compiler'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const out = process.argv[2]
const work = join(out, 'work')
mkdirSync(work, { recursive: true })

const sentence = 'CONTENT beans grow in rows and climb on poles, and whoever sows them after the last frost will pick them. '
const article = sentence.repeat(12)
const frame = (name, id, body, head = '') => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Beans</title>${head}` +
  `<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><div id="${id}">${body}</div>` +
  `<script type="module" src="/${name}.js"></script></body></html>`

const react = (hydrate) => `
import { createElement as h, useEffect, useState } from 'react'
export function App() {
  const [taken, take] = useState('')
  useEffect(() => take('CONTENT taken over'), [])
  return h('div', { className: 'layout' },
    h('header', { className: 'noise' }, h('nav', null, 'NOISE menu ', String(1 + 1))),
    h('aside', { className: 'noise' }, h('ul', null, ['a', 'b'].map(x => h('li', { key: x }, 'NOISE ' + x)))),
    h('main', null, h('h1', null, 'Beans'), h('p', null, ${JSON.stringify(article)}), h('p', { id: 'done' }, taken)),
    h('footer', { className: 'noise' }, 'NOISE foot'))
}
${hydrate}`

async function bundle(name, source, options) {
  const file = join(work, name + '.entry.js')
  writeFileSync(file, source)
  await build({ entryPoints: [file], bundle: true, format: 'esm', nodePaths: [join(process.cwd(), 'node_modules')], absWorkingDir: process.cwd(),
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
    logLevel: 'error', ...options })
}
const load = file => import(pathToFileURL(file).href)
const node = { platform: 'node', banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } }

for (const version of ['react18', 'react19']) {
  const alias = { react: version, 'react-dom': version + '-dom' }
  await bundle(version + '.server', react(`import { renderToString } from 'react-dom/server'\nexport const html = renderToString(h(App))`),
    { ...node, alias, outfile: join(work, version + '.mjs') })
  const { html } = await load(join(work, version + '.mjs'))
  await bundle(version, react(`import { hydrateRoot } from 'react-dom/client'\nhydrateRoot(document.getElementById('root'), h(App), { onRecoverableError: e => console.error(e) })`),
    { alias, outfile: join(out, version + '.js') })
  writeFileSync(join(out, version + '.html'), frame(version, 'root', html))
}

const vueApp = `
import { createSSRApp, h, onMounted, ref } from 'vue'
const App = { setup() {
  const taken = ref('')
  onMounted(() => { taken.value = 'CONTENT taken over' })
  return () => [
    h('header', { class: 'noise' }, [h('nav', 'NOISE menu')]),
    h('aside', { class: 'noise' }, [h('ul', ['a', 'b'].map(x => h('li', 'NOISE ' + x)))]),
    h('main', [h('h1', 'Beans'), h('p', ${JSON.stringify(article)}), h('p', { id: 'done' }, taken.value)]),
    h('footer', { class: 'noise' }, 'NOISE foot')]
} }
`
await bundle('vue.server', vueApp + `import { renderToString } from 'vue/server-renderer'\nexport const html = await renderToString(createSSRApp(App))`,
  { ...node, outfile: join(work, 'vue.mjs') })
writeFileSync(join(out, 'vue.html'), frame('vue', 'app', (await load(join(work, 'vue.mjs'))).html))
await bundle('vue', vueApp + `createSSRApp(App).mount('#app')`, { outfile: join(out, 'vue.js') })

const svelteSource = `<script>
  import { onMount } from 'svelte'
  let taken = $state('')
  onMount(() => { taken = 'CONTENT taken over' })
</script>
<header class="noise"><nav>NOISE menu</nav></header>
<aside class="noise"><ul>{#each ['a', 'b'] as x}<li>NOISE {x}</li>{/each}</ul></aside>
<main><h1>Beans</h1><p>${article}</p><p id="done">{taken}</p></main>
<footer class="noise">NOISE foot</footer>`
for (const generate of ['server', 'client']) {
  writeFileSync(join(work, `svelte.${generate}.js`), compile(svelteSource, { generate, name: 'App', dev: false }).js.code)
}
await bundle('svelte.render', `import App from './svelte.server.js'\nimport { render } from 'svelte/server'\nexport const html = render(App).body`,
  { ...node, conditions: ['svelte'], outfile: join(work, 'svelte.mjs') })
writeFileSync(join(out, 'svelte.html'), frame('svelte', 'svelte-app', (await load(join(work, 'svelte.mjs'))).html))
await bundle('svelte', `import App from './svelte.client.js'\nimport { hydrate } from 'svelte'\nhydrate(App, { target: document.getElementById('svelte-app') })`,
  { conditions: ['svelte', 'browser'], outfile: join(out, 'svelte.js') })
