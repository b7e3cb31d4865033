import { pages } from './site.mjs'

export default defineNuxtConfig({
  compatibilityDate: '2025-09-01', telemetry: false, devtools: { enabled: false }, srcDir: '.', css: ['~/site.css'],
  app: { head: { title: 'Kettle Almanac', htmlAttrs: { lang: 'en' } } },
  nitro: { prerender: { crawlLinks: false, routes: pages.map(({ slug }) => '/static/' + slug) } },
})
