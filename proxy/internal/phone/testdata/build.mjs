// Builds a site each with VitePress and with Astro, as their users do, into the folder that is the first argument. The sources
// lie beside node_modules, where both look for what they import.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as vitepress } from 'vitepress'
import { build as astro } from 'astro'
import vue from '@astrojs/vue'

const out = process.argv.at(-1)
const source = join(process.cwd(), 'sites-' + process.pid)
const write = (name, text) => {
  mkdirSync(join(source, name, '..'), { recursive: true })
  writeFileSync(join(source, name), text)
}
const nouns = 'field river stone winter harvest lantern orchard market bridge copper garden weather letter kettle meadow harbour pencil mirror ladder carpet'.split(' ')
let seed = 7
const words = (n) => Array.from({ length: n }, () => nouns[(seed = (seed * 1103515245 + 12345) % 2147483648) % nouns.length]).join(' ')
const pages = Array.from({ length: 16 }, (_, i) => ({ name: 'page' + (i + 1), title: words(3), text: [words(50), words(60), words(45)] }))

try {
  write('vitepress/.vitepress/config.mjs', `export default ${JSON.stringify({
    title: 'Copper Guide', description: 'A guide', themeConfig: {
      nav: pages.slice(0, 5).map((p) => ({ text: p.title, link: '/' + p.name })),
      sidebar: [{ text: 'Chapters', items: pages.map((p) => ({ text: p.title, link: '/' + p.name })) }],
      footer: { message: 'Released under a free licence.', copyright: 'Copyright the Copper Guide' },
    } })}`)
  for (const p of pages) {
    write(`vitepress/${p.name}.md`, `# ${p.title}\n\n${p.text[0]}.\n\n<script setup>\nimport { onMounted, ref } from 'vue'\nconst taken = ref('')\nonMounted(() => { taken.value = 'taken over' })\n</script>\n\n` +
      `<p>{{ taken }}</p>\n\n\`\`\`js\nconst lantern = 1\n\`\`\`\n\n## ${words(2)}\n\n${p.text[1]}.\n\n${p.text[2]}.\n`)
  }
  await vitepress(join(source, 'vitepress'), { outDir: join(out, 'vitepress') })

  const links = pages.map((p) => `<li><a href="/${p.name}.html">${p.title}</a></li>`).join('')
  write('astro/src/Taken.vue', `<script setup>\nimport { onMounted, ref } from 'vue'\nconst taken = ref('')\nonMounted(() => { taken.value = 'taken over' })\n</script>\n<template><p>{{ taken }}</p></template>`)
  write('astro/src/Menu.vue', `<script setup>\nimport { ref } from 'vue'\nconst open = ref(false)\n</script>\n<template><nav class="menu" @click="open = !open"><button>Menu</button><ul :class="{ open }">${links}</ul></nav></template>`)
  for (const p of pages) {
    write(`astro/src/pages/${p.name}.astro`, `---\nimport Menu from '../Menu.vue'\nimport Taken from '../Taken.vue'\n---\n<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${p.title}</title></head>` +
      `<body><header><a href="/">Kettle Log</a><Menu client:load /></header><main><h1>${p.title}</h1>${p.text.map((t) => `<p>${t}.</p>`).join('')}<Taken client:idle /></main>` +
      `<aside><h2>More</h2><ul>${links}</ul></aside><footer>Copyright Kettle Log. All rights reserved.</footer><style>main{max-width:40em}aside{border-top:1px solid}</style></body></html>`)
  }
  await astro({ root: join(source, 'astro'), outDir: join(out, 'astro'), configFile: false, integrations: [vue()], build: { format: 'file' }, telemetry: false, logLevel: 'error', devToolbar: { enabled: false } })
} finally {
  rmSync(source, { recursive: true, force: true })
}
