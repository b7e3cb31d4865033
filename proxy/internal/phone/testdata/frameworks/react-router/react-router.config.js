import { pages } from './site.mjs'

export default { ssr: true, routeDiscovery: { mode: 'initial' }, prerender: pages.map(({ slug }) => '/' + slug) }
