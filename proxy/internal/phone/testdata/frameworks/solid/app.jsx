import { createSignal, For, onMount, Show } from 'solid-js'
import { cookies, footer, menu, pageOf, related } from './site.mjs'

export function App(props) {
  const page = pageOf(props.slug)
  const [open, setOpen] = createSignal(false), [asked, ask] = createSignal(true), [taken, take] = createSignal('')
  onMount(() => take('taken over'))
  return <>
    <header class="site-header"><a href="/page1">Kettle Almanac</a>
      <nav class="menu" classList={{ open: open() }}><button onClick={() => setOpen(!open())}>Menu</button>
        <ul><For each={menu}>{(entry, i) => <li><a href={`/page${i() + 1}`}>{entry}</a></li>}</For></ul></nav></header>
    <div class="columns"><main><article><h1>{page.title}</h1><For each={page.text}>{(text) => <p>{text}</p>}</For><p>{taken()}</p>
      <form action="/cart" method="post"><button class="act">Add to basket</button></form>
      <p class="pagination"><a class="act" rel="next" href={`/${page.next}`}>Next page</a></p></article></main>
      <aside class="sidebar"><h2>Most read this week</h2><ul><For each={related}>{(title, i) => <li><a href={`/page${i() + 2}`}>{title}</a></li>}</For></ul></aside></div>
    <footer class="site-footer">{footer}</footer>
    <Show when={asked()}><div class="cookie-banner" role="dialog" aria-label="Cookies"><p>{cookies}</p><button onClick={() => ask(false)}>Accept all</button></div></Show>
  </>
}
