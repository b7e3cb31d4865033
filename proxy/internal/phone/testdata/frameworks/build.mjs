// Builds the same site with each framework, as its users do, in a folder that has this one's contents and node_modules.
// What servers serve without Node is in out/NAME afterwards; next and nuxt stay where they are, for their own servers.
import { transformAsync } from '@babel/core'
import { qwikVite } from '@builder.io/qwik/optimizer'
import { build as bundle } from 'esbuild'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build as vite } from 'vite'
import { pages } from './site.mjs'

const here = process.cwd()
const load = (file) => import(pathToFileURL(join(here, file)).href)
for (const name of ['next', 'nuxt', 'angular', 'kit', 'qwik', 'solid', 'react-router']) {
  for (const shared of ['site.mjs', 'site.css']) cpSync(shared, join(name, shared))
}

const run = (dir, command, ...args) => promisify(execFile)(process.execPath, [join(here, 'node_modules', command), ...args], { cwd: join(here, dir),
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' } })

// write puts the pages of a renderer beside its bundle.
async function write(name, render) {
  const out = join('out', name)
  mkdirSync(out, { recursive: true })
  cpSync('site.css', join(out, 'site.css'))
  for (const { slug } of pages) writeFileSync(join(out, slug + '.html'), await render(slug))
}

const builders = {
  next: () => run('next', 'next/dist/bin/next', 'build'),
  nuxt: () => run('nuxt', 'nuxt/bin/nuxt.mjs', 'build'),
  async kit() {
    mkdirSync('kit/static', { recursive: true })
    cpSync('site.css', 'kit/static/site.css')
    await run('kit', 'vite/bin/vite.js', 'build')
  },
  async 'react-router'() {
    mkdirSync('react-router/public', { recursive: true })
    cpSync('site.css', 'react-router/public/site.css')
    await run('react-router', '@react-router/dev/bin.js', 'build')
    cpSync('react-router/build/client', 'out/react-router', { recursive: true })
  },
  async angular() {
    const tsconfigRaw = { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } }
    const defined = (server) => ({ ngDevMode: 'false', ngJitMode: 'true', ngServerMode: String(server) })
    await bundle({ entryPoints: ['angular/browser.ts'], bundle: true, minify: true, keepNames: true, format: 'esm', outfile: 'out/angular/browser.js', tsconfigRaw, define: defined(false), ignoreAnnotations: true, logLevel: 'error' })
    await bundle({ entryPoints: ['angular/server.ts'], bundle: true, format: 'esm', platform: 'node', outfile: 'angular/server.mjs', tsconfigRaw, define: defined(true), ignoreAnnotations: true, logLevel: 'error',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } })
    await write('angular', (await load('angular/server.mjs')).render)
  },
  async solid() {
    const compiled = (generate) => ({ name: 'solid', setup: (build) => build.onLoad({ filter: /solid\/[a-z]+\.jsx$/ }, async ({ path }) =>
      ({ contents: (await transformAsync(readFileSync(path, 'utf8'), { filename: path, presets: [['solid', { generate, hydratable: true }]], configFile: false, babelrc: false })).code })) })
    await bundle({ entryPoints: ['solid/browser.jsx'], bundle: true, format: 'esm', outfile: 'out/solid/browser.js', plugins: [compiled('dom')], conditions: ['browser'], logLevel: 'error' })
    await bundle({ entryPoints: ['solid/server.jsx'], bundle: true, format: 'esm', outfile: 'solid/server.mjs', plugins: [compiled('ssr')], platform: 'node', conditions: ['node'], logLevel: 'error' })
    await write('solid', (await load('solid/server.mjs')).render)
  },
  async qwik() {
    const root = join(here, 'qwik')
    const plugin = () => qwikVite({ entryStrategy: { type: 'smart' }, client: { input: [join(root, 'src/root.jsx')], outDir: join(here, 'out/qwik') }, ssr: { input: join(root, 'src/entry.ssr.jsx'), outDir: join(root, 'server') } })
    await vite({ root, configFile: false, logLevel: 'error', plugins: [plugin()] })
    await vite({ root, configFile: false, logLevel: 'error', plugins: [plugin()], build: { ssr: true } })
    const { default: render } = await load('qwik/server/entry.ssr.js')
    await write('qwik', async (slug) => (await render({ slug })).html)
  },
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(builders)
for (const name of wanted) {
  const begun = Date.now()
  rmSync(join('out', name), { recursive: true, force: true })
  await builders[name]()
  console.log(`${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`)
}
