import { component$, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { cookies, footer, menu, pageOf, related } from '../site.mjs'

const Menu = component$(() => {
  const open = useSignal(false)
  return <nav class={open.value ? 'menu open' : 'menu'}><button onClick$={() => { open.value = !open.value }}>Menu</button>
    <ul>{menu.map((entry, i) => <li key={entry}><a href={`/page${i + 1}.html`}>{entry}</a></li>)}</ul></nav>
})

const Cookies = component$(() => {
  const asked = useSignal(true)
  return asked.value ? <div class="cookie-banner" role="dialog" aria-label="Cookies"><p>{cookies}</p><button onClick$={() => { asked.value = false }}>Accept all</button></div> : null
})

const Taken = component$(() => {
  const taken = useSignal('')
  useVisibleTask$(() => { taken.value = 'taken over' }, { strategy: 'document-ready' })
  return <p>{taken.value}</p>
})

export default component$(({ slug }) => {
  const page = pageOf(slug)
  return <>
    <head><meta charset="utf-8" /><title>Kettle Almanac</title><meta name="viewport" content="width=device-width" /><link rel="stylesheet" href="/site.css" /></head>
    <body lang="en">
      <header class="site-header"><a href="/page1.html">Kettle Almanac</a><Menu /></header>
      <div class="columns"><main><article><h1>{page.title}</h1>{page.text.map((text) => <p key={text}>{text}</p>)}<Taken />
        <form action="/cart" method="post"><button class="act">Add to basket</button></form>
        <p class="pagination"><a class="act" rel="next" href={`/${page.next}.html`}>Next page</a></p></article></main>
        <aside class="sidebar"><h2>Most read this week</h2><ul>{related.map((title, i) => <li key={title}><a href={`/page${i + 2}.html`}>{title}</a></li>)}</ul></aside></div>
      <footer class="site-footer">{footer}</footer>
      <Cookies />
    </body>
  </>
})
