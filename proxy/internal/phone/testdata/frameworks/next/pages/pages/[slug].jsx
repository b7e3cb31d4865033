import { Article } from '../../parts/article'
import { pageOf, pages } from '../../site.mjs'

export const getStaticPaths = () => ({ paths: pages.map(({ slug }) => ({ params: { slug } })), fallback: false })
export const getStaticProps = ({ params }) => ({ props: { page: pageOf(params.slug), base: 'pages' } })

export default function Page(props) { return <Article {...props} /> }
