'use client'
import Link from 'next/link'
import { useEffect, useState } from 'react'

export function Menu({ entries, base }) {
  const [open, setOpen] = useState(false)
  return <nav className={open ? 'menu open' : 'menu'}><button onClick={() => setOpen(!open)} aria-expanded={open}>Menu</button>
    <ul>{entries.map((entry, i) => <li key={entry}><Link href={`/${base}/page${i + 1}`}>{entry}</Link></li>)}</ul></nav>
}

export function Cookies({ text }) {
  const [asked, ask] = useState(true)
  return asked && <div className="cookie-banner" role="dialog" aria-label="Cookies"><p>{text}</p><button onClick={() => ask(false)}>Accept all</button></div>
}

export function Taken() {
  const [taken, take] = useState('')
  useEffect(() => take('taken over'), [])
  return <p>{taken}</p>
}
