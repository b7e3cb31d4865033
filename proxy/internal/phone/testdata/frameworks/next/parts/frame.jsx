import Link from 'next/link'
import { cookies, footer, menu, related } from '../site.mjs'
import { Cookies, Menu } from './client'

export function Frame({ base, children }) {
  return <>
    <header className="site-header"><Link href={`/${base}/page1`}>Kettle Almanac</Link><Menu entries={menu} base={base} /></header>
    <div className="columns">
      <main>{children}</main>
      <aside className="sidebar"><h2>Most read this week</h2><ul>{related.map((title, i) => <li key={title}><Link href={`/${base}/page${i + 2}`}>{title}</Link></li>)}</ul></aside>
    </div>
    <footer className="site-footer">{footer}</footer>
    <Cookies text={cookies} />
  </>
}
