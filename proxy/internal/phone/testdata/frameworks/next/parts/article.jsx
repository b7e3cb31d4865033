import Link from 'next/link'
import { Taken } from './client'

export function Article({ page, base, children }) {
  return <article><h1>{page.title}</h1>{page.text.map((text) => <p key={text}>{text}</p>)}{children}<Taken />
    <form action="/cart" method="post"><button className="act">Add to basket</button></form>
    <p className="pagination"><Link className="act" rel="next" href={`/${base}/${page.next}`}>Next page</Link></p></article>
}
