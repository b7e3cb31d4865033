import { Article } from '../../parts/article'
import { pageOf } from '../../site.mjs'

export const getServerSideProps = ({ params }) => ({ props: { page: pageOf(params.slug), base: 'server' } })

export default function Page(props) { return <Article {...props} /> }
