import { Suspense } from 'react'
import { Article } from '../../../parts/article'
import { pageOf } from '../../../site.mjs'

export const dynamic = 'force-dynamic'

async function Late({ text }) {
  await new Promise((done) => setTimeout(done, 50))
  return <p>{text}</p>
}

export default async function Page({ params }) {
  const page = pageOf((await params).slug)
  const [late, ...text] = page.text
  return <Article page={{ ...page, text }} base="live"><Suspense fallback={<p>Loading</p>}><Late text={late} /></Suspense></Article>
}
