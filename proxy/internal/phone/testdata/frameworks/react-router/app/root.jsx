import { useState } from 'react'
import { Link, Links, Meta, Outlet, Scripts, ScrollRestoration } from 'react-router'
import { cookies, footer, menu, related } from '../site.mjs'

export const meta = () => [{ title: 'Kettle Almanac' }]
export const links = () => [{ rel: 'stylesheet', href: '/site.css' }]

export function Layout({ children }) {
  return <html lang="en"><head><meta charSet="utf-8" /><meta name="viewport" content="width=device-width" /><Meta /><Links /></head>
    <body>{children}<ScrollRestoration /><Scripts /></body></html>
}

export default function App() {
  const [open, setOpen] = useState(false), [asked, ask] = useState(true)
  return <>
    <header className="site-header"><Link to="/page1">Kettle Almanac</Link>
      <nav className={open ? 'menu open' : 'menu'}><button onClick={() => setOpen(!open)}>Menu</button>
        <ul>{menu.map((entry, i) => <li key={entry}><Link to={`/page${i + 1}`}>{entry}</Link></li>)}</ul></nav></header>
    <div className="columns"><main><Outlet /></main>
      <aside className="sidebar"><h2>Most read this week</h2><ul>{related.map((title, i) => <li key={title}><Link to={`/page${i + 2}`}>{title}</Link></li>)}</ul></aside></div>
    <footer className="site-footer">{footer}</footer>
    {asked && <div className="cookie-banner" role="dialog" aria-label="Cookies"><p>{cookies}</p><button onClick={() => ask(false)}>Accept all</button></div>}
  </>
}
