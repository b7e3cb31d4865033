import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { pageOf } from '../site.mjs'

export const loader = ({ params }) => pageOf(params.slug)

export default function Page({ loaderData: page }) {
  const [taken, take] = useState('')
  useEffect(() => take('taken over'), [])
  return <article><h1>{page.title}</h1>{page.text.map((text) => <p key={text}>{text}</p>)}<p>{taken}</p>
    <form action="/cart" method="post"><button className="act">Add to basket</button></form>
    <p className="pagination"><Link className="act" rel="next" to={`/${page.next}`}>Next page</Link></p></article>
}
