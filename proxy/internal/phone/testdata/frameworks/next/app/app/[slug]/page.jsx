import { Article } from '../../../parts/article'
import { pageOf, pages } from '../../../site.mjs'

export const generateStaticParams = () => pages.map(({ slug }) => ({ slug }))

export default async function Page({ params }) {
  return <Article page={pageOf((await params).slug)} base="app" />
}
